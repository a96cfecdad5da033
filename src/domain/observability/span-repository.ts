import type { Db, Tx } from '../../db/database.ts';
import { durationOf } from './roll-up.ts';
import type { SpanDraft } from './span.ts';

/** A draft whose capability and session are known by id. */
export interface PlacedSpan {
  readonly draft: SpanDraft;
  readonly capabilityId?: string;
  readonly conversationId?: string;
}

const SPAN_FIELDS = `t text, s text, p text, name text, kind smallint, type text, op text, service text,
  status smallint, message text, start bigint, "end" bigint, duration bigint, model text, input bigint, output bigint,
  total bigint, cost numeric, capability text, conversation text, scope text, version text, search text,
  attributes json, resource json, events json, links json`;

export class SpanRepository {
  readonly #db: Db | Tx;

  constructor(db: Db | Tx) {
    this.#db = db;
  }

  in(tx: Tx): SpanRepository {
    return new SpanRepository(tx);
  }

  /**
   * Stores the spans that are not stored yet and answers their keys. All of them travel as one parameter: a value list
   * would hit the driver's limit of 65,535 parameters, and be parsed anew for every size of batch. The caller sorts
   * them, so that two processes with the same batch wait for each other instead of deadlocking.
   */
  async insertNew(projectId: string, spans: readonly PlacedSpan[], receivedAt: Date): Promise<ReadonlySet<string>> {
    const { rows } = await this.#db.raw<{ rows: { key: string }[] }>(
      `insert into spans (
         project_id, trace_id, span_id, parent_span_id, name, kind, span_type, operation, service_name,
         status_code, status_message, start_time_ns, end_time_ns, duration_ns, model, input_tokens, output_tokens,
         total_tokens, total_cost, capability_id, conversation_id, scope_name, scope_version, search_text,
         attributes, resource_attributes, events, links, received_at)
       select ?, t, s, p, name, kind, type, op, service, status, message, start, "end", duration, model, input,
         output, total, cost, capability, conversation, scope, version, search, attributes, resource, events, links,
         ?::timestamptz
       from json_to_recordset(?::json) as span(${SPAN_FIELDS})
       on conflict (project_id, trace_id, span_id) do nothing
       returning trace_id || span_id as key`,
      [projectId, receivedAt, JSON.stringify(spans.map(toFields))],
    );
    return new Set(rows.map((row) => row.key));
  }
}

export function spanKey(span: Pick<SpanDraft, 'traceId' | 'spanId'>): string {
  return span.traceId + span.spanId;
}

/** Text that `search` looks in; lower case is made here, so that it does not depend on the database's locale. */
export function searchTextOf(span: Pick<SpanDraft, 'name' | 'serviceName' | 'traceId' | 'spanId'>): string {
  return `${span.name}\n${span.serviceName ?? ''}\n${span.traceId}\n${span.spanId}`.toLowerCase();
}

function toFields({ draft, capabilityId, conversationId }: PlacedSpan): Record<string, unknown> {
  return {
    t: draft.traceId,
    s: draft.spanId,
    p: draft.parentSpanId,
    name: draft.name,
    kind: draft.kind,
    type: draft.spanType,
    op: draft.operation,
    service: draft.serviceName,
    status: draft.statusCode,
    message: draft.statusMessage,
    start: draft.startNs.toString(),
    end: draft.endNs.toString(),
    duration: durationOf(draft).toString(),
    model: draft.usage.model,
    input: draft.usage.inputTokens,
    output: draft.usage.outputTokens,
    total: draft.usage.totalTokens,
    cost: draft.usage.cost,
    capability: capabilityId,
    conversation: conversationId,
    scope: draft.scopeName,
    version: draft.scopeVersion,
    search: searchTextOf(draft),
    attributes: draft.attributes,
    resource: draft.resourceAttributes,
    events: draft.events.length === 0 ? undefined : draft.events,
    links: draft.links.length === 0 ? undefined : draft.links,
  };
}
