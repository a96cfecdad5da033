/** Writes fixes into contract texts until nothing is left that has one. */
import type { Diagnostic } from '../model/diagnostic.ts';
import { applyEdits, textEdits } from './text-edits.ts';

export interface Mended {
  readonly file: string;
  readonly before: string;
  readonly after: string;
}

export interface FixedTree {
  readonly files: readonly Mended[];
  /** What was mended, in the order of rounds. */
  readonly fixed: readonly Diagnostic[];
}

/** Reads a tree that is held in memory and answers its findings. */
export type Judge = (texts: ReadonlyMap<string, string>) => Promise<readonly Diagnostic[]>;

/** One fix may open the way to the next; more rounds than this would be a fix that undoes another. */
const MOST_ROUNDS = 8;

export async function fixTree(texts: ReadonlyMap<string, string>, judge: Judge): Promise<FixedTree> {
  const now = new Map(texts);
  const fixed: Diagnostic[] = [];
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const mended = mend(now, await judge(now));
    if (mended.length === 0) break;
    fixed.push(...mended);
  }
  const files = [...now].flatMap(([file, after]) => {
    const before = texts.get(file) ?? '';
    return after === before ? [] : [{ file, before, after }];
  });
  return { files, fixed };
}

/** One round: every exact fix that does not stand in the way of another. */
function mend(texts: Map<string, string>, diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const byFile = new Map<string, Diagnostic[]>();
  for (const one of diagnostics) {
    if (one.fix?.exact !== true) continue;
    byFile.set(one.position.file, [...(byFile.get(one.position.file) ?? []), one]);
  }
  const mended: Diagnostic[] = [];
  for (const [file, found] of byFile) {
    const text = texts.get(file);
    if (text === undefined) continue;
    const groups = found.map((one) => textEdits(text, one.fix?.edits ?? []) ?? []);
    const { text: after, taken } = applyEdits(text, groups);
    if (after === text) continue;
    texts.set(file, after);
    mended.push(...found.filter((_, index) => taken[index]));
  }
  return mended;
}
