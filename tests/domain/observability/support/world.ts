import type { Services } from '../../../../src/app/services.ts';
import {
  readExport,
  type IngestOutcome,
  type Observability,
  type TraceListQuery,
  type TraceRow,
} from '../../../../src/domain/observability/index.ts';
import type { Clock } from '../../../../src/kernel/clock.ts';
import { newId } from '../../../../src/kernel/ids.ts';
import { makeServices } from '../../../support/services.ts';
import { otlpExport, otlpSpan, type SpanLike } from './otlp.ts';

/** Two projects that know nothing of each other, and their traces. */
export interface World extends Observability {
  readonly services: Services;
  readonly projectId: string;
  readonly otherProjectId: string;
  /** Takes spans in as one batch, as the endpoint does. */
  send(spans: readonly SpanLike[], options?: { readonly projectId?: string }): Promise<IngestOutcome>;
  list(query?: Partial<TraceListQuery>): Promise<readonly TraceRow[]>;
}

export const NEWEST_FIRST: Pick<TraceListQuery, 'allSpans' | 'ordering' | 'limit'> = {
  allSpans: false,
  ordering: { key: 'start_time_ns', descending: true },
  limit: 100,
};

export async function makeWorld(parts: { readonly clock?: Clock } = {}): Promise<World> {
  const services = await makeServices(parts);
  const owner = await services.accounts.create({ email: `${newId()}@example.com` });
  const [project, other] = [
    await services.projects.create({ accountId: owner.id, name: 'Support agent' }),
    await services.projects.create({ accountId: owner.id, name: 'Another agent' }),
  ];
  const { observability } = services;
  return {
    ...observability,
    services,
    projectId: project.id,
    otherProjectId: other.id,
    send: (spans, { projectId = project.id } = {}) =>
      observability.ingest.ingest(projectId, readExport(otlpExport(spans.map(otlpSpan)), 1n).spans),
    list: async (query = {}) => (await observability.traces.list(project.id, { ...NEWEST_FIRST, ...query })).rows,
  };
}
