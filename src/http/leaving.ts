import type { ServerResponse } from 'node:http';

/** Whether this error is only what came of the client's leaving: nobody is there to answer, and nothing is wrong. */
export function isLeaving(response: ServerResponse, error: unknown): boolean {
  if (!response.destroyed || response.writableFinished) return false;
  return error instanceof Error && error.name === 'AbortError';
}
