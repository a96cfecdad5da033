export { canBecome, isFinished, JOB_STATUSES } from './job.ts';
export type { Job, JobError, JobId, JobPolicies, JobPolicy, JobStatus } from './job.ts';
export type { JobDelivery } from './job-delivery.ts';
export { JobLeaseRepository, LostLease } from './job-lease-repository.ts';
export type { ClaimedJob, Lease } from './job-lease-repository.ts';
export type { JobFailureHooks, JobHandlerMap, JobRun } from './job-run.ts';
export { describeJob, JobsService } from './jobs-service.ts';
export type { JobDescription, JobFilter, JobPage, JobRequest, JobsServiceParts } from './jobs-service.ts';
export { RequestKeys } from './request-keys.ts';
