import type { JobHandlers } from '../../../generated/contracts/jobs.ts';

export const handlers: JobHandlers<{ readonly attempt: number }> = {
  async note_export(payload, { attempt }) {
    if (payload.export_id === String(attempt)) throw new Error('never');
  },
};
