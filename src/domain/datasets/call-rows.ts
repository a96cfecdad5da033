import type { DatasetRow } from './dataset-engine.ts';
import { mainConversation, spoken, TRACE_COLUMNS, traceRow } from './trace-rows.ts';
import type { SourceCall } from './trace-source.ts';

/**
 * One row per model call: its span's id, then the columns of a trace, told of the call alone. `input` and `output` are
 * what was said last on either side; the whole request that some libraries record as input stands in `messages`.
 */
export const CALL_COLUMNS: Readonly<Record<string, string>> = { span_id: 'VARCHAR', ...TRACE_COLUMNS };

export function callRow(call: SourceCall): DatasetRow {
  const { span } = call;
  const row = traceRow({
    ...call,
    name: span.name,
    failed: span.failed,
    startNs: span.startNs,
    spanCount: 1,
    spans: [span],
  });
  const said = mainConversation([span]);
  return {
    span_id: span.spanId,
    ...row,
    input: spoken([...said.input, ...said.output], 'user') ?? row['input'],
    output: spoken(said.output, 'assistant') ?? row['output'],
  };
}
