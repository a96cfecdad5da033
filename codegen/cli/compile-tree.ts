/** From a contract folder to findings and generated texts. */
import { canonicalModel } from '../canonical/index.ts';
import type { CanonicalModel } from '../canonical/index.ts';
import { sortDiagnostics } from '../load/diagnostics.ts';
import { loadModel } from '../model/load-model.ts';
import type { ContractModel, Diagnostic } from '../model/types.ts';
import { projectModel } from '../project/index.ts';
import type { Projection } from '../project/index.ts';
import type { Loss } from '../project/loss.ts';
import { runRules } from '../rules/index.ts';
import { BadInput } from './io.ts';

export interface Checked {
  readonly diagnostics: readonly Diagnostic[];
  readonly losses: readonly Loss[];
  /** Absent when an error leaves nothing to build on. */
  readonly parts?: {
    readonly model: ContractModel;
    readonly canonical: CanonicalModel;
    readonly projection: Projection;
  };
  readonly texts: ReadonlyMap<string, string>;
}

export async function checkTree(schemas: string): Promise<Checked> {
  const loaded = await loadModel(schemas).catch((error: unknown) => {
    throw new BadInput(`The contract folder cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  });
  const { model, files } = loaded;
  if (model === undefined) return { diagnostics: loaded.diagnostics, losses: [], texts: files };
  const canonical = canonicalModel(model);
  const projection = projectModel(canonical);
  const diagnostics = sortDiagnostics([
    ...loaded.diagnostics,
    ...runRules(model),
    ...canonical.diagnostics,
    ...projection.diagnostics,
  ]);
  return { diagnostics, losses: projection.losses, parts: { model, canonical, projection }, texts: files };
}

export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some(({ level }) => level === 'error');
}
