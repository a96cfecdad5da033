import { resolve } from 'node:path';
import { sortDiagnostics } from '../load/diagnostics.ts';
import { documentsOf, readDocuments } from '../load/read-documents.ts';
import type { DocumentMemory, Documents } from '../load/read-documents.ts';
import { treeOf } from '../load/read-tree.ts';
import { buildContract } from './build.ts';
import type { Diagnostic } from './diagnostic.ts';
import type { ContractModel } from './types.ts';

export interface LoadedModel {
  /** Undefined when the tree has a fault that leaves no meaning to build on. */
  readonly model: ContractModel | undefined;
  /** Everything found, sorted by file and place. */
  readonly diagnostics: readonly Diagnostic[];
  /** Text of every contract file by its path relative to the root. */
  readonly files: ReadonlyMap<string, string>;
}

/**
 * Reads the contract tree under `root` and builds its model. Reads nothing outside `root` and opens no connection.
 * Rejects only when `root` itself cannot be read.
 */
export async function loadModel(root: string, memory?: DocumentMemory): Promise<LoadedModel> {
  return modelOf(await readDocuments(resolve(root), memory));
}

/** The model of a tree that is held in memory, by path relative to its root. */
export async function loadModelOf(
  contents: ReadonlyMap<string, Uint8Array>,
  memory?: DocumentMemory,
): Promise<LoadedModel> {
  return modelOf(await documentsOf(treeOf(contents), memory));
}

function modelOf({ documents, diagnostics, files }: Documents): LoadedModel {
  if (diagnostics.length > 0) return { model: undefined, diagnostics: sortDiagnostics(diagnostics), files };
  const built = buildContract(documents);
  return { model: built.model, diagnostics: sortDiagnostics(built.diagnostics), files };
}
