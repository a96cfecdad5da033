import type { DatasetCell } from '../../../generated/contracts/models/dataset_cell.ts';
import type { DatasetDetail } from '../../../generated/contracts/models/dataset_detail.ts';
import { table, type Terminal } from '../../kernel/terminal.ts';
import type { Session } from './session.ts';

const CHAT_SHOWN = 6;

/** Everything a person wants to know of one dataset, on one screen. */
export async function showDataset({ terminal, json, connect }: Session, dataset: string): Promise<void> {
  const { tools } = await connect();
  const detail = await tools.call('inspect_dataset', { dataset });
  terminal.out(json ? JSON.stringify(detail) : describeDataset(detail, terminal.style));
}

export function describeDataset(detail: DatasetDetail, style: Terminal['style']): string {
  const active = detail.cells.find(({ id }) => id === detail.active);
  const parts = [
    `${style('bold', detail.name)}  ${detail.id}`,
    `${detail.state}, for ${detail.intent === 'pending' ? 'a use that is still open' : detail.intent}${detail.capability === undefined ? '' : `, capability ${detail.capability.name}`}`,
    ...(detail.error === undefined ? [] : [style('red', detail.error)]),
    ...(detail.cells.length === 0 ? [] : ['', versions(detail.cells, detail.active)]),
    ...(active === undefined ? [] : ['', columns(active), ...findings(active)]),
    ...chat(detail),
    ...proposals(detail),
  ];
  return parts.join('\n');
}

function versions(cells: readonly DatasetCell[], active: string | undefined): string {
  const rows = cells.map((cell) => [
    cell.id === active ? '*' : '',
    cell.version,
    cell.state,
    String(cell.rows),
    cell.fits.ok ? 'fits' : cell.fits.reason,
    cell.title,
  ]);
  return table([['', 'VERSION', 'STATE', 'ROWS', 'FITS', 'TITLE'], ...rows]);
}

function columns({ columns: list }: DatasetCell): string {
  const rows = list.map(({ name, type, null_rate: rate }) => [name, type, `${Math.round(rate * 100)} %`]);
  return table([['COLUMN', 'TYPE', 'NULL'], ...rows]);
}

function findings({ quality = [] }: DatasetCell): string[] {
  if (quality.length === 0) return [];
  return ['', 'Worth a look:', ...quality.map((finding) => `  ${finding.message}${placesOf(finding)}`)];
}

function placesOf({ rows, examples }: NonNullable<DatasetCell['quality']>[number]): string {
  if (examples.length === 0) return '';
  return ` (source_row ${examples.join(', ')}${rows > examples.length ? ', …' : ''})`;
}

function chat({ recent_chat: turns }: DatasetDetail): string[] {
  if (turns.length === 0) return [];
  const lines = turns.slice(-CHAT_SHOWN).map(({ role, text, error, status }) => {
    const said = error ?? (text === '' ? status : text);
    return `  ${role === 'user' ? 'you' : 'agent'}: ${said}`;
  });
  return ['', 'Chat:', ...lines];
}

function proposals({ id, cells }: DatasetDetail): string[] {
  const waiting = cells.filter(({ state }) => state === 'proposed');
  return waiting.flatMap((cell) => [
    '',
    `Proposal "${cell.title}"${cell.note === undefined || cell.note === '' ? '' : `: ${cell.note}`}`,
    ...(cell.script ?? '').split('\n').map((line) => `  ${line}`),
    `  overmind dataset approve ${id} ${cell.id}   or deny`,
  ]);
}
