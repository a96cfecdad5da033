import type { Params } from './asking.ts';

const DATASET = 'refund failures';
const NEVER = '2001-01-01T00:00:00Z';
const FOREIGN = { cursor: 'of-another-list' };

/** Arguments by which the running server answers a declared error, by `tool code`; references are tried by themselves. */
export const PROVOKED: Readonly<Record<string, Params>> = {
  'add_dataset_step query_invalid': { dataset: DATASET, title: 'No column', sql: 'SELECT nothing FROM t' },
  'create_dataset_from_llm_calls no_calls': {
    name: 'no calls',
    capability: 'refunds',
    since: NEVER,
    until: '2001-01-02T00:00:00Z',
  },
  'create_dataset_from_traces dataset_invalid': {
    name: 'one to split',
    trace_ids: ['0af7651916cd43dd8448eb211c80319c'],
    split: {},
  },
  'create_dataset_from_traces no_traces': { name: 'no traces', search: 'nowhere to be found' },
  'list_datasets invalid_filter': FOREIGN,
  'list_projects invalid_filter': FOREIGN,
  'query_dataset cell_not_found': { dataset: DATASET, sql: 'SELECT 1', cell: '999' },
  'query_dataset query_invalid': { dataset: DATASET, sql: 'SELECT nothing FROM t' },
  'query_task_executions invalid_filter': FOREIGN,
  'query_traces invalid_filter': FOREIGN,
  'run_dataset cell_not_found': { dataset: DATASET, proposal_cell: '01912d5a-0000-7000-8000-00000000dead' },
  'run_dataset dataset_invalid': { dataset: DATASET },
};
