import type { PageHandlers } from '../../../generated/console/pages.ts';
import type { Datasets, QueryAnswer } from '../../domain/datasets/index.ts';
import type { ModelsService } from '../../domain/models/index.ts';
import { clip } from '../../kernel/bounded.ts';
import { AppError } from '../../kernel/errors.ts';
import { addressOf } from '../addresses.ts';
import type { Answer, Notice, ProjectVisit, Redirect, View, Visits } from '../visit.ts';

const LISTED = 50;
const ROWS = 50;
const SQL_MAX = 8_000;
const EXAMPLE = 'SELECT * FROM t LIMIT 20';
const REFRESH_SECONDS = 2;
const TEXT_MAX = 500;
const CHAT_TURNS = 30;

export interface DatasetPagesParts {
  readonly datasets: Pick<Datasets, 'service' | 'agent' | 'decisions'>;
  readonly models: Pick<ModelsService, 'isConfigured'>;
}

export function datasetPages(parts: DatasetPagesParts): Pick<PageHandlers<Visits, Answer>, 'datasets' | 'dataset'> {
  const { service, agent } = parts.datasets;
  return {
    datasets: {
      async show({ project, query }) {
        const search = (query.get('search') ?? '').slice(0, 200);
        const cursor = query.get('cursor') ?? '';
        const page = await service.list(project.id, {
          limit: LISTED,
          ...(search !== '' && { search }),
          ...(cursor !== '' && { cursor }),
        });
        return {
          view: 'datasets',
          title: 'Datasets',
          data: { rows: page.datasets, nextCursor: page.nextCursor, search, isLater: cursor !== '' },
        };
      },
    },
    dataset: {
      show: (visit) => showDataset(parts, visit),
      actions: {
        async message(visit) {
          const { project, form, person } = visit;
          if (!form.isChecked('agreed')) {
            throw new AppError('invalid_input', 'Say that you know of the cost: tick the box below the message.');
          }
          const message = form.text('message');
          await agent.message(project.id, { dataset: datasetOf(visit), message, accountId: person.account.id });
          return back(visit, 'agent_asked');
        },
        approve: (visit) => decide(parts, visit, 'approve'),
        deny: (visit) => decide(parts, visit, 'deny'),
      },
    },
  };
}

async function decide(
  { datasets }: DatasetPagesParts,
  visit: ProjectVisit,
  decision: 'approve' | 'deny',
): Promise<Redirect> {
  await datasets.decisions.run(visit.project.id, {
    dataset: datasetOf(visit),
    proposalCell: visit.form.text('cell'),
    decision,
    accountId: visit.person.account.id,
  });
  return back(visit, decision === 'approve' ? 'proposal_approved' : 'proposal_denied');
}

function back(visit: ProjectVisit, notice: Notice): Redirect {
  return { to: addressOf('dataset', { dataset: datasetOf(visit), projectId: visit.project.id }), notice };
}

function datasetOf({ params }: ProjectVisit): string {
  return params['dataset'] ?? '';
}

async function showDataset({ datasets, models }: DatasetPagesParts, visit: ProjectVisit): Promise<View> {
  const { service } = datasets;
  const { project, query, signal, form } = visit;
  const reference = datasetOf(visit);
  const sql = (query.get('sql') ?? '').slice(0, SQL_MAX);
  const cell = query.get('version') ?? '';
  const detail = await service.inspect(project.id, reference, { signal, chatTurns: CHAT_TURNS });
  const asked = sql === '' ? undefined : await ask(service, visit, { sql, cell });
  const isBusy = ['landing', 'running', 'diagnosing'].includes(detail.dataset.state);
  return {
    view: 'dataset',
    title: detail.dataset.name,
    current: 'datasets',
    // A page that is being typed into is left alone.
    ...(isBusy && sql === '' && { refreshSeconds: REFRESH_SECONDS }),
    data: {
      dataset: detail.dataset,
      capability: detail.capability,
      active: detail.active,
      versions: detail.cells.toReversed().map((one) => ({
        ...one,
        isActive: one.id === detail.active?.id,
        isChosen: one.version === cell,
        isProposed: one.state === 'proposed',
      })),
      sample: detail.sample && tableOf(detail.sample),
      nextActions: detail.nextActions,
      chat: detail.chat.map((turn) => ({ ...turn, isPerson: turn.role === 'user' })),
      hasModel: models.isConfigured,
      // There is nothing to talk about without rows, and nobody to talk to while work goes on.
      canAsk: !isBusy && detail.active !== undefined,
      entered: form.text('message'),
      sql: sql === '' ? EXAMPLE : sql,
      answer: asked && 'answer' in asked ? tableOf(asked.answer) : undefined,
      fault: asked && 'fault' in asked ? asked.fault : undefined,
      isBusy,
    },
  };
}

/** A faulty query is shown beside the query, not as a page of its own. */
async function ask(
  service: Datasets['service'],
  { project, params, signal }: ProjectVisit,
  { sql, cell }: { readonly sql: string; readonly cell: string },
): Promise<{ readonly answer: QueryAnswer } | { readonly fault: string }> {
  try {
    const query = { sql, limit: ROWS, signal, ...(cell !== '' && { cell }) };
    return { answer: (await service.query(project.id, params['dataset'] ?? '', query)).answer };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { fault: error.message };
  }
}

function tableOf({ columns, rows, truncated }: QueryAnswer) {
  return {
    columns: columns.map(({ name, type }) => ({ name, type })),
    rows: rows.map((row) => columns.map(({ name }) => short(row[name]))),
    truncated,
    isEmpty: rows.length === 0,
  };
}

function short(value: unknown): unknown {
  return typeof value === 'string' && value.length > TEXT_MAX ? `${clip(value, TEXT_MAX)}…` : value;
}
