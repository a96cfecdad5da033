import type { JobPolicies } from '../../../src/domain/jobs/index.ts';

export const POLICIES: JobPolicies = {
  count: { attempts: 3, timeoutSeconds: 30, retentionDays: 30 },
  stubborn: { attempts: 2, timeoutSeconds: 1, retentionDays: 30 },
};
