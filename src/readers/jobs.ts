import type { Completers } from '../../generated/contracts/completers.ts';
import type { ResourceReaders } from '../../generated/contracts/readers.ts';
import { presentJobResource, type JobLookup } from '../presenters/jobs.ts';
import type { Contexts } from './contexts.ts';

export function jobReaders({ jobs }: { readonly jobs: JobLookup }): Pick<ResourceReaders<Contexts>, 'job'> {
  return {
    async job({ kind, id }, { project }) {
      return presentJobResource(await jobs.get(project.id, kind, id));
    },
  };
}

export function jobCompleters({ jobs }: { readonly jobs: JobLookup }): Pick<Completers<Contexts>, 'job_kind'> {
  return {
    async job_kind(value) {
      return jobs.kinds.filter((kind) => kind.startsWith(value));
    },
  };
}
