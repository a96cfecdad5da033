/** What each client profile takes, and what it leaves out: one page per profile, one table per tool. */
import type { ContractModel, ProfileSpec, ToolSpec } from '../model/types.ts';
import type { Projection } from '../project/index.ts';
import type { Loss } from '../project/loss.ts';
import { projectForProfile } from '../project/profile.ts';
import { heading } from './page.ts';
import type { Block, Inline, Page, Text } from './page.ts';

export interface Client {
  readonly profile: ProfileSpec;
  readonly losses: readonly Loss[];
  /** Names of the tools it sees. */
  readonly sees: ReadonlySet<string>;
}

export function clientsOf(model: ContractModel, projection: Projection): readonly Client[] {
  return model.profiles.map((profile) => {
    const { losses, tools } = projectForProfile(model, projection, profile);
    return { profile, losses, sees: new Set(tools.map(({ name }) => name)) };
  });
}

export function clientPage({ profile, losses, sees }: Client, model: ContractModel): Page {
  const { name, title, description, limits, refuses, refusesAtRoot, needs, sources } = profile;
  const why = (of: string): Text => {
    const found = sources.find((one) => one.of === of);
    if (found === undefined) return [''];
    const { source, seen } = found;
    const shown: Inline = source.startsWith('https:') ? { href: source, text: source } : source;
    return [shown, `, seen ${seen}`];
  };
  const rows = [
    ...Object.entries(limits).map(([of, most]) => [[`at most ${most}`], [words(of)], why(of)]),
    ...refuses.map((of) => [['not anywhere'], [{ code: of }], why(of)]),
    ...refusesAtRoot.map((of) => [['not at the root'], [{ code: of }], why(`root ${of}`)]),
    ...needs.map((of) => [['wanted'], [words(of)], why(of)]),
  ];
  return {
    path: `clients/${name}`,
    group: 'Clients',
    title,
    summary: description,
    blocks: [
      { kind: 'text', text: [description] },
      heading('What it takes'),
      { kind: 'table', about: `Limits of ${title}`, head: ['Rule', 'Of', 'Where it was seen'], rows },
      heading('What it does not see'),
      { kind: 'text', text: [`It sees ${sees.size} of ${model.tools.length} tools. ${counted(losses.length)}.`] },
      ...(losses.length === 0 ? [] : [lossTable(title, losses)]),
    ],
  };
}

function lossTable(title: string, losses: readonly Loss[]): Block {
  const rows = losses.map(({ entity, pointer, keyword, message }): Text[] => {
    const tool = /^tool (\S+)/u.exec(entity)?.[1];
    return [
      [tool === undefined ? entity : { page: `tools/${tool}`, text: tool, code: true }],
      [pointer === '' ? '' : { code: pointer }],
      [{ code: keyword }],
      [message],
    ];
  });
  return { kind: 'table', about: `What ${title} leaves out`, head: ['Of', 'Place', 'What', 'Why'], rows };
}

/** The part of a tool's page that says what clients leave out of it. */
export function clientBlocks({ name }: ToolSpec, clients: readonly Client[], projection: Projection): Block[] {
  const about = ({ entity }: Loss): boolean => entity === `tool ${name}` || entity.startsWith(`tool ${name} `);
  const published = projection.losses.filter(about);
  const rows = clients.flatMap(({ profile, losses, sees }): Text[][] => {
    const own = losses.filter(about);
    if (own.length === 0) return [];
    const kinds = [...new Set(own.map(({ keyword }) => keyword))].sort();
    return [
      [
        [{ page: `clients/${profile.name}`, text: profile.title }],
        [sees.has(name) ? String(own.length) : 'the tool'],
        kinds.flatMap((kind, at): Inline[] => (at === 0 ? [{ code: kind }] : [', ', { code: kind }])),
      ],
    ];
  });
  const kinds = tally(published.map(({ keyword }) => keyword));
  const everyone = published.length === 0 ? 'Everything of the contract is published.' : `No client is shown ${kinds}.`;
  return [
    heading('Left out by clients'),
    { kind: 'text', text: [`${everyone} The server checks calls against the whole contract all the same.`] },
    rows.length === 0
      ? { kind: 'text', text: ['The client profiles leave out nothing more.'] }
      : { kind: 'table', about: 'What clients leave out', head: ['Client', 'Left out', 'Of'], rows },
  ];
}

function tally(keywords: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const keyword of keywords) counts.set(keyword, (counts.get(keyword) ?? 0) + 1);
  return [...counts].map(([keyword, count]) => `${keyword} (${count})`).join(', ');
}

function counted(count: number): string {
  if (count === 0) return 'Nothing of them is left out';
  return `${count} ${count === 1 ? 'detail is' : 'details are'} left out`;
}

const words = (name: string): string => name.replaceAll('_', ' ');
