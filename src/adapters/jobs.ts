import type { JobsAdapters } from '../../generated/contracts/adapters.ts';
import { presentJob, type JobLookup } from '../presenters/jobs.ts';
import type { Contexts } from './contexts.ts';

export function jobsAdapters({ jobs }: { readonly jobs: JobLookup }): JobsAdapters<Contexts> {
  return {
    async get_job({ kind, id }, { project }) {
      return presentJob(await jobs.get(project.id, kind, id));
    },
  };
}
