import type { ToolAdapters } from '../../generated/contracts/adapters.ts';
import type { Contexts } from './contexts.ts';
import { datasetsAdapters } from './datasets.ts';
import { jobsAdapters } from './jobs.ts';
import { observabilityAdapters } from './observability.ts';
import { projectsAdapters } from './projects.ts';

type PartsOf<F extends (parts: never) => unknown> = Parameters<F>[0];

/** What the adapters of all domains need, together. */
export type AdapterParts = PartsOf<typeof projectsAdapters> &
  PartsOf<typeof jobsAdapters> &
  PartsOf<typeof observabilityAdapters> &
  PartsOf<typeof datasetsAdapters>;

/** One function per tool of the contracts; a tool without one does not compile. */
export function createAdapters(parts: AdapterParts): ToolAdapters<Contexts> {
  return {
    ...projectsAdapters(parts),
    ...jobsAdapters(parts),
    ...observabilityAdapters(parts),
    ...datasetsAdapters(parts),
  };
}
