/** From a contract folder to findings and generated texts. */
import { canonicalModel } from '../canonical/index.ts';
import type { CanonicalModel } from '../canonical/index.ts';
import { sortDiagnostics } from '../load/diagnostics.ts';
import { loadModel, type LoadedModel } from '../model/load-model.ts';
import type { ContractModel, Diagnostic } from '../model/types.ts';
import { projectModel } from '../project/index.ts';
import type { Projection } from '../project/index.ts';
import type { Loss } from '../project/loss.ts';
import { judgeModel } from '../rules/index.ts';
import type { Suppressed } from '../rules/suppressions.ts';
import { BadInput } from './io.ts';

export interface Checked {
  readonly diagnostics: readonly Diagnostic[];
  readonly losses: readonly Loss[];
  /** Findings that a contract answers with a reason. */
  readonly suppressed: readonly Suppressed[];
  /** Absent when an error leaves nothing to build on. */
  readonly parts?: {
    readonly model: ContractModel;
    readonly canonical: CanonicalModel;
    readonly projection: Projection;
  };
  readonly texts: ReadonlyMap<string, string>;
}

/** `today` lets suppressions expire; what is generated must not depend on the day, so only `lint` gives it. */
export async function checkTree(schemas: string, today?: string): Promise<Checked> {
  const loaded = await loadModel(schemas).catch((error: unknown) => {
    throw new BadInput(`The contract folder cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  });
  return judgeLoaded(loaded, today);
}

/** The same for a tree that has been read already. */
export function judgeLoaded(loaded: LoadedModel, today?: string): Checked {
  const { model, files } = loaded;
  if (model === undefined) return { diagnostics: loaded.diagnostics, losses: [], suppressed: [], texts: files };
  const canonical = canonicalModel(model);
  const projection = projectModel(canonical);
  const { open, suppressed } = judgeModel(model, today);
  const diagnostics = sortDiagnostics([
    ...loaded.diagnostics,
    ...open,
    ...canonical.diagnostics,
    ...projection.diagnostics,
  ]);
  return { diagnostics, losses: projection.losses, suppressed, parts: { model, canonical, projection }, texts: files };
}

export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some(({ level }) => level === 'error');
}
