import assert from 'node:assert/strict';
import type { Caller } from '../../../support/given.ts';
import { otlpExport, otlpSpan, type SpanLike } from './otlp.ts';

/** Sends spans to the endpoint with the caller's key; fails the test unless all of them are taken. */
export async function exportSpans(caller: Pick<Caller, 'server' | 'key'>, spans: readonly SpanLike[]): Promise<void> {
  const response = await fetch(`${caller.server.origin}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': caller.key },
    body: JSON.stringify(otlpExport(spans.map(otlpSpan))),
  });
  assert.deepEqual([response.status, await response.json()], [200, {}]);
}
