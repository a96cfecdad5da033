import type { PageHandlers } from '../../../generated/console/pages.ts';
import type { JobsService } from '../../domain/jobs/index.ts';
import { JOB_STATUSES } from '../../domain/jobs/index.ts';
import type { JobLookup } from '../../presenters/jobs.ts';
import type { Answer, Visits } from '../visit.ts';

export interface JobPagesParts {
  readonly jobs: JobsService;
  readonly lookup: JobLookup;
}

const LISTED = 50;
const REFRESH_SECONDS = 2;
/** What a status amounts to; its own word says more to those who know the kind of work. */
const STATES = { active: 'in progress', waiting: 'waits for a decision', succeeded: 'done', failed: 'failed' } as const;

export function jobPages({ jobs, lookup }: JobPagesParts): Pick<PageHandlers<Visits, Answer>, 'jobs' | 'job'> {
  return {
    jobs: {
      async show({ project, query }) {
        const wanted = query.get('status') ?? '';
        const status = JOB_STATUSES.find((one) => one === wanted);
        const cursor = query.get('cursor') ?? '';
        const page = await jobs.list(project.id, {
          limit: LISTED,
          ...(status !== undefined && { statuses: [status] }),
          ...(cursor !== '' && { cursor }),
        });
        const isMoving = page.jobs.some((job) => job.status === 'queued' || job.status === 'running');
        return {
          view: 'jobs',
          title: 'Jobs',
          ...(isMoving && { refreshSeconds: REFRESH_SECONDS }),
          data: {
            rows: page.jobs,
            nextCursor: page.nextCursor,
            statuses: JOB_STATUSES.map((name) => ({ name, isChosen: name === status })),
            status,
            isFiltered: status !== undefined,
            isLater: cursor !== '',
          },
        };
      },
    },
    job: {
      async show({ project, params }) {
        const job = await lookup.get(project.id, params['kind'] ?? '', params['id'] ?? '');
        const isMoving = job.statusClass === 'active';
        const share = shareOf(job.progress);
        return {
          view: 'job',
          title: job.label,
          current: 'jobs',
          ...(isMoving && { refreshSeconds: REFRESH_SECONDS }),
          data: {
            job,
            state: STATES[job.statusClass],
            isMoving,
            hasShare: share !== undefined,
            share,
            isDatasetRun: job.kind === 'dataset_run',
          },
        };
      },
    },
  };
}

/** Progress as a number from 0 to 100, when its object counts something towards a total. */
function shareOf(progress: Readonly<Record<string, unknown>> | undefined): number | undefined {
  const { rows: done, total_rows: total } = progress ?? {};
  if (typeof done !== 'number' || typeof total !== 'number' || total <= 0) return undefined;
  return Math.min(100, Math.round((done / total) * 100));
}
