import type { DatasetItem } from '../../../generated/contracts/models/dataset_item.ts';
import { table } from '../../kernel/terminal.ts';
import type { Session } from './session.ts';

export interface ListOptions {
  readonly search?: string;
  readonly intent?: 'train' | 'eval' | 'pending';
}

const PAGE = 100;

/** All datasets of the project, page after page. */
export async function listDatasets({ terminal, json, connect }: Session, options: ListOptions): Promise<void> {
  const { tools } = await connect();
  const found: DatasetItem[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await tools.call('list_datasets', {
      ...options,
      limit: PAGE,
      ...(cursor !== undefined && { cursor }),
    });
    found.push(...page.datasets);
    cursor = page.page.next_cursor;
  }
  if (json) terminal.out(JSON.stringify(found));
  else if (found.length === 0) terminal.out('There is no dataset yet. Make one: overmind dataset upload FILE');
  else {
    const rows = found.map(({ id, name, intent, state, active }) => [
      id,
      state,
      intent,
      active?.version ?? '',
      active === undefined ? '' : String(active.rows),
      name,
    ]);
    terminal.out(table([['ID', 'STATE', 'FOR', 'VERSION', 'ROWS', 'NAME'], ...rows]));
  }
}
