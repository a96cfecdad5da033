import type { Tx } from '../../db/database.ts';
import type { JobId } from './job.ts';

/**
 * Tells workers that a job may be taken. A message is only a hint: it may come twice or not at all, the jobs row
 * decides. It is sent inside the caller's transaction, so that it exists exactly when the job does.
 */
export interface JobDelivery {
  send(tx: Tx, jobIds: readonly JobId[], delayMs?: number): Promise<void>;
}
