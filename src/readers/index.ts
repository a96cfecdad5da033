import type { Completers } from '../../generated/contracts/completers.ts';
import type { ResourceReaders } from '../../generated/contracts/readers.ts';
import { capabilityCompleters, capabilityReaders } from './capabilities.ts';
import type { Contexts } from './contexts.ts';
import { datasetsCompleters, datasetsReaders } from './datasets.ts';
import { jobCompleters, jobReaders } from './jobs.ts';
import { observabilityCompleters, observabilityReaders } from './observability.ts';
import { projectReaders } from './projects.ts';

type PartsOf<F extends (parts: never) => unknown> = Parameters<F>[0];

/** What the readers of all domains need, together. */
export type ReaderParts = PartsOf<typeof projectReaders> &
  PartsOf<typeof jobReaders> &
  PartsOf<typeof capabilityReaders> &
  PartsOf<typeof observabilityReaders> &
  PartsOf<typeof datasetsReaders>;

/** One function per readable resource of the contracts; a resource without one does not compile. */
export function createReaders(parts: ReaderParts): ResourceReaders<Contexts> {
  return {
    ...projectReaders(parts),
    ...jobReaders(parts),
    ...capabilityReaders(parts),
    ...observabilityReaders(parts),
    ...datasetsReaders(parts),
  };
}

/** One function per name that the contracts say can be completed. */
export function createCompleters(parts: ReaderParts): Completers<Contexts> {
  return {
    ...jobCompleters(parts),
    ...capabilityCompleters(parts),
    ...observabilityCompleters(parts),
    ...datasetsCompleters(parts),
  };
}
