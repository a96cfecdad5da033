import { randomBytes } from 'node:crypto';
import type { Db } from '../../../src/db/database.ts';

/** What a server of the time before weeks, sums and arrivals sends when it takes in a trace of one span. */
export async function insertTraceAsOf0006(db: Db, projectId: string): Promise<string> {
  const trace = randomBytes(16).toString('hex');
  const span = randomBytes(8).toString('hex');
  await db.transaction(async (tx) => {
    await tx.raw(
      `insert into spans (project_id, trace_id, span_id, name, kind, span_type, status_code, status_message,
         start_time_ns, end_time_ns, duration_ns, model, total_tokens, scope_name, scope_version, search_text, attributes,
         resource_attributes, received_at)
       values (?, ?, ?, 'old', 1, 'llm', 0, '', 1000, 2000, 1000, 'small', 7, '', '', 'old', '{}', '{}', now())
       on conflict (project_id, trace_id, span_id) do nothing`,
      [projectId, trace, span],
    );
    await tx.raw(
      `insert into traces as held (project_id, trace_id, head_rank, head_span_id, name, span_type, status_code,
         start_time_ns, duration_ns, search_text, model, span_count, error_count, total_tokens, first_start_ns,
         last_end_ns, received_at, updated_at)
       values (?, ?, '0', ?, 'old', 'llm', 0, 1000, 1000, 'old', 'small', 1, 0, 7, 1000, 2000, now(), now())
       on conflict (project_id, trace_id) do update set span_count = held.span_count + excluded.span_count`,
      [projectId, trace, span],
    );
    await tx.raw(
      `insert into task_executions (project_id, id, trace_id, unit_span_id, behaviour_key, binding_source, status,
         span_type, status_code, start_time_ns, duration_ns, created_at)
       values (?, ?, ?, ?, 'answer', 'declared', 'completed', 'llm', 0, 1000, 1000, now())`,
      [projectId, `${trace}-run`, trace, span],
    );
  });
  return trace;
}
