import type { JobHandlers } from '../../../generated/contracts/jobs.ts';

export const handlers: JobHandlers<{ readonly attempt: number }> = {};
