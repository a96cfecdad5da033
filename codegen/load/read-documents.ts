import { isObject } from '../grammar/value-kinds.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { checkGrammar } from './check-grammar.ts';
import { checkSchemas } from './check-schemas.ts';
import type { ContractDocument } from './document.ts';
import { LineIndex, locator, toValue } from './positions.ts';
import { readTree } from './read-tree.ts';
import type { Tree, TreeFile } from './read-tree.ts';
import { readPlainYaml } from './read-plain-yaml.ts';
import type { ReadResult } from './read-yaml.ts';

export interface Documents {
  readonly documents: readonly ContractDocument[];
  readonly diagnostics: readonly Diagnostic[];
  /** Text of every contract file by path, as it was read. */
  readonly files: ReadonlyMap<string, string>;
}

/** The full parser is loaded for the first file that needs it; most trees never do. */
async function readText(text: string): Promise<ReadResult> {
  const node = readPlainYaml(text);
  if (node !== undefined) return { node, faults: [] };
  const { readFullYaml } = await import('./read-yaml.ts');
  return readFullYaml(text);
}

async function readDocument(entry: TreeFile, diagnostics: Diagnostic[]): Promise<ContractDocument | undefined> {
  const { node, faults } = await readText(entry.text);
  if (faults.length > 0) {
    const lines = new LineIndex(entry.text);
    for (const { offset, ...fault } of faults) {
      diagnostics.push({ ...fault, level: 'error', position: lines.position(entry.file, offset) });
    }
  }
  if (node === undefined) return undefined;
  const value = toValue(node);
  if (!isObject(value)) {
    const position = { file: entry.file, line: 1, column: 1 };
    diagnostics.push({ rule: 'grammar', level: 'error', message: 'A contract file holds a map.', position });
    return undefined;
  }
  const { text, ...place } = entry;
  const source = { file: entry.file, locate: locator(entry.file, text, node) };
  return { ...place, root: node, value, source };
}

async function readChecked(entry: TreeFile): Promise<Remembered> {
  const diagnostics: Diagnostic[] = [];
  const document = await readDocument(entry, diagnostics);
  if (document !== undefined) diagnostics.push(...checkGrammar(document), ...checkSchemas(document));
  return { document, diagnostics };
}

/** Reads the tree and checks each file by itself. Everything found is in `diagnostics`, in no particular order. */
export async function readDocuments(root: string, memory?: DocumentMemory): Promise<Documents> {
  return documentsOf(readTree(root), memory);
}

interface Remembered {
  readonly document: ContractDocument | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** Files that were read before, by path and text: two trees of one history have most of them in common. */
export type DocumentMemory = Map<string, Remembered>;

/** Every edit is a text of its own; only those of the present tree are worth keeping. */
export function forgetOthers(memory: DocumentMemory, texts: ReadonlyMap<string, string>): void {
  for (const key of memory.keys()) {
    const end = key.indexOf('\n');
    if (texts.get(key.slice(0, end)) !== key.slice(end + 1)) memory.delete(key);
  }
}

/** The same for a tree whose files have been read already. */
export async function documentsOf(tree: Tree, memory?: DocumentMemory): Promise<Documents> {
  const diagnostics = [...tree.diagnostics];
  const documents: ContractDocument[] = [];
  for (const entry of tree.files) {
    const key = `${entry.file}\n${entry.text}`;
    const read = memory?.get(key) ?? (await readChecked(entry));
    memory?.set(key, read);
    if (read.document !== undefined) documents.push(read.document);
    diagnostics.push(...read.diagnostics);
  }
  return { documents, diagnostics, files: new Map(tree.files.map(({ file, text }) => [file, text])) };
}
