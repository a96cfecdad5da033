/** What the changelog says about each entity, for the page of that entity. */
import { heading } from './page.ts';
import type { Block, Page } from './page.ts';

const KINDS: Readonly<Record<string, string>> = {
  tools: 'tool',
  resources: 'resource',
  templates: 'resource',
  prompts: 'prompt',
  jobs: 'job',
  errors: 'error',
  scopes: 'scope',
};

interface Change {
  readonly release: string;
  readonly text: string;
}

/** Every page of an entity ends with its changes, newest first, where a changelog tells of any. */
export function withHistory(pages: readonly Page[], changelog: string | undefined): readonly Page[] {
  if (changelog === undefined) return pages;
  const changes = changesOf(changelog);
  return pages.map((page) => {
    const [folder = '', name = ''] = page.path.split('/');
    const kind = KINDS[folder];
    if (kind === undefined) return page;
    const items = counted(changes.get(`${kind} ${name}`) ?? []).map((text) => [text]);
    const told: Block =
      items.length === 0 ? { kind: 'text', text: ['Unchanged in every release and since.'] } : { kind: 'list', items };
    return { ...page, blocks: [...page.blocks, heading('Changes'), told] };
  });
}

/** The changelog with equal lines of one list as one line. */
export function withoutRepeats(changelog: string): string {
  const lines: string[] = [];
  const counts: number[] = [];
  for (const line of changelog.split('\n')) {
    const repeats = line.startsWith('- ') && lines.at(-1) === line;
    if (repeats) counts[counts.length - 1] = (counts.at(-1) ?? 1) + 1;
    else {
      lines.push(line);
      counts.push(1);
    }
  }
  return lines.map((line, at) => (counts[at] === 1 ? line : `${line} (in ${counts[at]} places)`)).join('\n');
}

/** The same said of several places is said once. */
function counted(changes: readonly Change[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { release, text } of changes) {
    const told = `${release}: ${text}`;
    counts.set(told, (counts.get(told) ?? 0) + 1);
  }
  return [...counts].map(([told, count]) => (count === 1 ? told : `${told} (in ${count} places)`));
}

function changesOf(changelog: string): ReadonlyMap<string, readonly Change[]> {
  const found = new Map<string, Change[]>();
  let release = '';
  for (const line of changelog.split('\n')) {
    release = /^## (.+)$/u.exec(line)?.[1] ?? release;
    const [, entity, text = ''] = /^- \*\*([^*]+)\*\*: (.+)$/u.exec(line) ?? [];
    if (entity === undefined) continue;
    // A part of an entity is named behind it: `tool list_notes input`. Addresses write the colon of a scope as a hyphen.
    const key = entity.split(' ').slice(0, 2).join(' ').replaceAll(':', '-');
    found.set(key, [...(found.get(key) ?? []), { release, text }]);
  }
  return found;
}
