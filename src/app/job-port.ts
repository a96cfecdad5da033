import type { AccountContext } from '../context/account-context.ts';
import { AppError } from '../kernel/errors.ts';
import type { JobPort } from '../mcp/ports.ts';
import { presentJob, type JobLookup } from '../presenters/jobs.ts';

/** Serves jobs as tasks: the same look-up and the same words as `get_job`. */
export function createJobPort(jobs: JobLookup): JobPort<AccountContext> {
  return {
    async find(_principal, { kind, id, projectId }) {
      if (projectId === undefined) return undefined;
      const job = await orUndefined(jobs.get(projectId, kind, id));
      return (
        job && {
          status: job.status,
          createdAt: job.createdAt,
          updatedAt: job.updatedAt ?? job.createdAt,
          output: { ...presentJob(job) },
          ...(job.error !== undefined && { error: job.error }),
          statusMessage: `${job.label}: ${job.status}.`,
        }
      );
    },
  };
}

async function orUndefined<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof AppError && error.code === 'resource_not_found') return undefined;
    throw error;
  }
}
