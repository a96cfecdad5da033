import type { DatasetsAdapters } from '../../generated/contracts/adapters.ts';
import type { CreateDatasetFromTracesInput } from '../../generated/contracts/tools/datasets/create_dataset_from_traces.ts';
import type { CreateFromTraces, Datasets, SplitOptions } from '../domain/datasets/index.ts';
import {
  presentDatasetDetail,
  presentDatasetItem,
  presentDatasetMutation,
  presentQueryAnswer,
} from '../presenters/datasets.ts';
import { linkDataset } from '../presenters/links.ts';
import type { Contexts } from './contexts.ts';

export function datasetsAdapters({ datasets }: { readonly datasets: Datasets }): DatasetsAdapters<Contexts> {
  return {
    async list_datasets(input, { project }) {
      const page = await datasets.service.list(project.id, input);
      const n = page.datasets.length;
      return {
        summary: `${n} ${n === 1 ? 'dataset' : 'datasets'}${page.hasMore ? ', more follow' : ''}.`,
        datasets: page.datasets.map(presentDatasetItem),
        page: {
          limit: input.limit,
          has_more: page.hasMore,
          next_cursor: page.nextCursor ?? null,
          ...(page.total !== undefined && { total: page.total }),
        },
        resource_links: page.datasets.map(({ dataset }) => linkDataset(dataset)),
      };
    },

    async inspect_dataset(input, { project, account }) {
      const { signal } = account;
      const detail = await datasets.service.inspect(project.id, input.dataset, { signal, chatTurns: input.chat_limit });
      return presentDatasetDetail(detail);
    },

    async query_dataset({ dataset: reference, ...query }, { project, account }) {
      const { dataset, cell, answer } = await datasets.service.query(project.id, reference, {
        ...query,
        signal: account.signal,
      });
      return presentQueryAnswer(dataset, cell, answer);
    },

    async create_dataset_from_traces(input, { project, account }) {
      const made = await datasets.creation.fromTraces(project.id, toRequest(input, account.accountId));
      const rows = `${made.traces} ${made.traces === 1 ? 'trace' : 'traces'}`;
      const summary = made.evalDataset
        ? `A training and an evaluation dataset are being made from ${rows}.`
        : `A dataset is being made from ${rows}.`;
      return presentDatasetMutation({ summary, ...made });
    },

    async create_dataset_from_llm_calls({ split, eval_percent, ...input }, { project, account }) {
      const made = await datasets.creation.fromCalls(project.id, {
        ...input,
        accountId: account.accountId,
        isSplit: split,
        ...(eval_percent !== undefined && { evalPercent: eval_percent }),
      });
      const rows = `${made.calls} model ${made.calls === 1 ? 'call' : 'calls'}`;
      const what = made.evalDataset ? 'A training and an evaluation dataset are' : 'A dataset is';
      return presentDatasetMutation({ summary: `${what} being made from ${rows}.`, ...made });
    },

    async add_dataset_step({ dataset: reference, ...step }, { project, account }) {
      const { dataset, cellId } = await datasets.preparation.addStep(project.id, reference, {
        title: step.title,
        script: step.sql,
        note: step.note ?? '',
        isProposal: step.propose,
        accountId: account.accountId,
        signal: account.signal,
      });
      const summary = step.propose
        ? 'The step is proposed; a person decides it with run_dataset.'
        : 'The step is being computed.';
      return presentDatasetMutation({ summary, dataset, cellId, awaitsApproval: step.propose });
    },

    async message_dataset_agent(input, { project, account }) {
      const dataset = await datasets.agent.message(project.id, { ...input, accountId: account.accountId });
      return presentDatasetMutation({ summary: 'The agent is looking at the dataset.', dataset });
    },

    async run_dataset(input, { project, account }) {
      const { dataset, proposal_cell, decision } = input;
      const changed = await datasets.decisions.run(project.id, {
        dataset,
        decision,
        accountId: account.accountId,
        ...(proposal_cell !== undefined && { proposalCell: proposal_cell }),
      });
      const summary = decision === 'deny' ? 'The proposal is discarded.' : `The dataset is ${changed.state}.`;
      return presentDatasetMutation({ summary, dataset: changed });
    },
  };
}

function toRequest(input: CreateDatasetFromTracesInput, accountId: string): CreateFromTraces {
  const { trace_ids, filters, split, name, search, limit, intent, capability } = input;
  return {
    accountId,
    name,
    ...(trace_ids !== undefined && { traceIds: trace_ids }),
    ...(filters !== undefined && { filters: toFilters(filters) }),
    ...(search !== undefined && { search }),
    ...(limit !== undefined && { limit }),
    ...(intent !== undefined && { intent }),
    ...(capability !== undefined && { capability }),
    ...(split !== undefined && { split: toSplit(split) }),
  };
}

function toFilters(
  filters: NonNullable<CreateDatasetFromTracesInput['filters']>,
): CreateFromTraces['filters'] & object {
  const { capability, session, has_error, model, service_name, unbound } = filters;
  return {
    ...(capability !== undefined && { capability }),
    ...(session !== undefined && { session }),
    ...(has_error !== undefined && { hasError: has_error }),
    ...(model !== undefined && { model }),
    ...(service_name !== undefined && { serviceName: service_name }),
    ...(unbound !== undefined && { unbound }),
    ...(filters.received_at__gte !== undefined && { receivedFrom: filters.received_at__gte }),
    ...(filters.received_at__lte !== undefined && { receivedTo: filters.received_at__lte }),
    ...(filters.min_duration_ms !== undefined && { minDurationMs: filters.min_duration_ms }),
    ...(filters.max_duration_ms !== undefined && { maxDurationMs: filters.max_duration_ms }),
    ...(filters.total_tokens__gte !== undefined && { minTotalTokens: filters.total_tokens__gte }),
    ...(filters.total_tokens__lte !== undefined && { maxTotalTokens: filters.total_tokens__lte }),
    ...(filters.total_cost__gte !== undefined && { minTotalCost: filters.total_cost__gte }),
    ...(filters.total_cost__lte !== undefined && { maxTotalCost: filters.total_cost__lte }),
  };
}

function toSplit(split: NonNullable<CreateDatasetFromTracesInput['split']>): SplitOptions {
  return {
    evalPercent: split.eval_percent,
    position: split.position,
    groupBy: split.group_by ?? [],
    ...(split.stratify_by !== undefined && { stratifyBy: split.stratify_by }),
    deduplicate: split.deduplicate,
  };
}
