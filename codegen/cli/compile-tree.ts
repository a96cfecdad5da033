/** From a contract folder to findings and generated texts. */
import { canonicalModel } from '../canonical/index.ts';
import type { CanonicalModel } from '../canonical/index.ts';
import type { Figures } from '../cost.ts';
import type { CountFigures } from '../costs/figures.ts';
import { sortDiagnostics } from '../load/diagnostics.ts';
import { forgetOthers, type DocumentMemory } from '../load/read-documents.ts';
import { loadModel, type LoadedModel } from '../model/load-model.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { ContractModel } from '../model/types.ts';
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

export interface Checking {
  /** Lets suppressions expire; what is generated must not depend on the day, so only `lint` gives it. */
  readonly today?: string;
  /** Judges the budgets of the contract too, for which tokens are counted. */
  readonly budgets?: boolean;
  /** Counts them, for a caller that keeps what was counted; implies `budgets`. */
  readonly figures?: CountFigures;
  /** Files read before. */
  readonly memory?: DocumentMemory;
}

export async function checkTree(schemas: string, checking: Checking = {}): Promise<Checked> {
  const loaded = await loadModel(schemas, checking.memory).catch((error: unknown) => {
    throw new BadInput(`The contract folder cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  });
  if (checking.memory !== undefined) forgetOthers(checking.memory, loaded.files);
  return judgeLoaded(loaded, { ...checking, ...(await figuresFor(loaded, schemas, checking)) });
}

/** The counter is loaded for the first tree that has a budget; most have none. */
async function figuresFor(
  { model }: LoadedModel,
  schemas: string,
  { budgets, figures }: Checking,
): Promise<Pick<Checking, 'figures'>> {
  if (figures !== undefined || budgets !== true || Object.keys(model?.server.budgets ?? {}).length === 0) return {};
  const { figuresUnder } = await import('../costs/figures.ts');
  return { figures: figuresUnder(schemas) };
}

/** The same for a tree that has been read already. */
export function judgeLoaded(loaded: LoadedModel, { today, figures }: Checking = {}): Checked {
  const { model, files } = loaded;
  if (model === undefined) return { diagnostics: loaded.diagnostics, losses: [], suppressed: [], texts: files };
  const canonical = canonicalModel(model);
  const projection = projectModel(canonical);
  let counted: Figures | undefined;
  const { open, suppressed } = judgeModel(model, {
    today,
    texts: files,
    figures: () => (counted ??= figures?.(model, projection)),
  });
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
