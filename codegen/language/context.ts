/** Which kinds of name fit at a place of a contract text. Told from the text alone, since it may be half written. */
import type { NameKind } from './names.ts';

export interface Mention {
  /** Kinds that fit here, the likeliest first. */
  readonly kinds: readonly NameKind[];
  /** The word around the place. */
  readonly word: string;
  /** Offsets of that word. */
  readonly start: number;
  readonly end: number;
}

const WORD = /[\w:.-]/u;

/** Keys whose value, or whose list, is made of names. */
const KEYS: Readonly<Record<string, NameKind>> = {
  errors: 'error',
  error: 'error',
  scopes: 'scope',
  job: 'job',
  resource: 'resource',
  domain: 'domain',
  replacement: 'tool',
  tool: 'tool',
  prompt: 'prompt',
};

/** What is mentioned at an offset; undefined where a name has no business. */
export function mentionAt(text: string, offset: number): Mention | undefined {
  let start = offset;
  while (start > 0 && WORD.test(text[start - 1] ?? '')) start -= 1;
  let end = offset;
  while (end < text.length && WORD.test(text[end] ?? '')) end += 1;
  const word = text.slice(start, end);
  const line = text.slice(text.lastIndexOf('\n', start - 1) + 1, start);
  if (word.startsWith('model:')) return { kinds: ['model'], word: word.slice(6), start: start + 6, end };
  const kinds = kindsOf(text, start, line);
  return kinds.length === 0 ? undefined : { kinds, word, start, end };
}

function kindsOf(text: string, start: number, line: string): readonly NameKind[] {
  const placeholder = /\{\{\s*(tool|resource|prompt|error)\s+"$/u.exec(line)?.[1];
  // because the pattern allows these words alone
  if (placeholder !== undefined) return [placeholder as NameKind];
  if (line.endsWith('`')) return ['tool', 'error', 'prompt', 'resource'];
  const keyed = /(?:^|[\s{,-])([a-z_]+):\s*(?:\[[^\]]*)?["']?$/u.exec(line)?.[1];
  const listed = keyed ?? (/^\s*-\s+["']?$/u.test(line) ? keyAbove(text, start) : undefined);
  const kind = listed === undefined ? undefined : KEYS[listed];
  if (kind !== undefined) return [kind];
  // The name of the file's own entity tells what agents will read of it.
  return listed === 'name' || listed === 'code' ? ['tool', 'model', 'resource', 'prompt', 'job', 'error', 'scope'] : [];
}

/** The key that a block list stands under: the nearest line above that is indented no further than its items. */
function keyAbove(text: string, start: number): string | undefined {
  const lines = text.slice(0, start).split('\n');
  const depth = /^\s*/u.exec(lines.pop() ?? '')?.[0].length ?? 0;
  for (const line of lines.reverse()) {
    const [, indent = '', key] = /^(\s*)([a-z_]+):\s*$/u.exec(line) ?? [];
    if (key !== undefined && indent.length <= depth) return key;
    if (line.trim() !== '' && !/^\s*-/u.test(line)) return undefined;
  }
  return undefined;
}
