import { isObject } from '../grammar/check-value.ts';
import type { Diagnostic } from '../model/types.ts';
import { checkGrammar } from './check-grammar.ts';
import { checkSchemas } from './check-schemas.ts';
import type { ContractDocument } from './document.ts';
import { LineIndex, locator, toValue } from './positions.ts';
import { readTree } from './read-tree.ts';
import type { TreeFile } from './read-tree.ts';
import { readYaml } from './read-yaml.ts';

export interface Documents {
  readonly documents: readonly ContractDocument[];
  readonly diagnostics: readonly Diagnostic[];
  /** Text of every contract file by path, as it was read. */
  readonly files: ReadonlyMap<string, string>;
}

function readDocument(entry: TreeFile, diagnostics: Diagnostic[]): ContractDocument | undefined {
  const { node, faults } = readYaml(entry.text);
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

/** Reads the tree and checks each file by itself. Everything found is in `diagnostics`, in no particular order. */
export function readDocuments(root: string): Documents {
  const tree = readTree(root);
  const diagnostics = [...tree.diagnostics];
  const documents: ContractDocument[] = [];
  for (const entry of tree.files) {
    const document = readDocument(entry, diagnostics);
    if (document === undefined) continue;
    documents.push(document);
    diagnostics.push(...checkGrammar(document), ...checkSchemas(document));
  }
  return { documents, diagnostics, files: new Map(tree.files.map(({ file, text }) => [file, text])) };
}
