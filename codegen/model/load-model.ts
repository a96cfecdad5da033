import { resolve } from 'node:path';
import { sortDiagnostics } from '../load/diagnostics.ts';
import { readDocuments } from '../load/read-documents.ts';
import { buildContract } from './build.ts';
import type { ContractModel, Diagnostic } from './types.ts';

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
export async function loadModel(root: string): Promise<LoadedModel> {
  const { documents, diagnostics, files } = await readDocuments(resolve(root));
  if (diagnostics.length > 0) return { model: undefined, diagnostics: sortDiagnostics(diagnostics), files };
  const built = buildContract(documents);
  return { model: built.model, diagnostics: sortDiagnostics(built.diagnostics), files };
}
