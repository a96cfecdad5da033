import { resourceUri } from '../../generated/catalog/resource-uris.ts';
import type { JobKind } from '../../generated/contracts/index.ts';
import type { ResourceLink } from '../../generated/contracts/models/resource_link.ts';
import type { JobPayload } from '../../generated/contracts/resources/job.ts';
import type { GetJobOutput } from '../../generated/contracts/tools/jobs/get_job.ts';
import { clip } from '../kernel/bounded.ts';
import { linkJob } from './links.ts';

/** What one kind's domain says about one of its jobs, in the words of the kind's contract. */
export interface JobView {
  readonly id: string;
  /** A status of the kind's contract. */
  readonly status: string;
  /** What the job works on, for a person. */
  readonly label: string;
  readonly error?: { readonly code: string; readonly message: string };
  readonly createdAt: Date;
  readonly updatedAt?: Date;
  readonly completedAt?: Date;
  readonly progress?: Readonly<Record<string, unknown>>;
  readonly details: Readonly<Record<string, unknown>>;
  /** What the job makes or works on; at most two. */
  readonly makes: readonly ResourceLink[];
}

/** Finds a job of one kind in a project; undefined for unknown and foreign ids alike. */
export type FindJob = (projectId: string, id: string) => Promise<JobView | undefined>;

/** One entry per kind of the contracts: a new kind does not compile until somebody can tell its state. */
export type JobViews = { readonly [K in JobKind]: FindJob };

/** A job with what its kind's contract adds to it. */
export interface JobReading extends JobView {
  /** Never an alias. */
  readonly kind: string;
  readonly statusClass: 'active' | 'waiting' | 'succeeded' | 'failed';
  readonly pollMs: number;
}

/** The one road to jobs: `get_job`, the jobs resource and tasks all use it, so they know the same kinds. */
export interface JobLookup {
  /** Kinds and their aliases. */
  readonly kinds: readonly string[];
  /** Throws `resource_not_found`. */
  get(projectId: string, kind: string, id: string): Promise<JobReading>;
}

const ERROR_LENGTH = 1_000;
const SUMMARY_LENGTH = 240;
const LABEL_LENGTH = 300;

export function presentJob(job: JobReading): GetJobOutput {
  const resource = linkJob(job);
  return {
    summary: clip(`${job.label}: ${job.status}.`, SUMMARY_LENGTH),
    ...presentState(job),
    resource,
    resource_links: [resource, ...job.makes.slice(0, 2)],
  };
}

export function presentJobResource(job: JobReading): JobPayload {
  return {
    uri: resourceUri.job({ kind: job.kind, id: job.id }),
    ...presentState(job),
    ...(job.makes.length > 0 && { resource_links: job.makes.slice(0, 3) }),
  };
}

function presentState(job: JobReading) {
  // Waiting for a person is final too: asking again does not bring it on.
  const final = job.statusClass !== 'active';
  return {
    kind: job.kind,
    id: job.id,
    status: job.status,
    final,
    label: clip(job.label, LABEL_LENGTH),
    ...(job.error !== undefined && { job_error: clip(job.error.message, ERROR_LENGTH) }),
    created_at: job.createdAt.toISOString(),
    ...(job.updatedAt !== undefined && { updated_at: job.updatedAt.toISOString() }),
    ...(job.completedAt !== undefined && { completed_at: job.completedAt.toISOString() }),
    poll_after_seconds: final ? 0 : Math.ceil(job.pollMs / 1_000),
    ...(job.progress !== undefined && { progress: { ...job.progress } }),
    details: { ...job.details },
  };
}
