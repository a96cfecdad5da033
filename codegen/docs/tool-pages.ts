import type { ToolCost } from '../cost.ts';
import { SEGMENTS } from '../cost.ts';
import type { CanonicalModel } from '../canonical/index.ts';
import type { Lifecycle, ChangeSpec, JsonValue, ToolSpec } from '../model/types.ts';
import type { Projection } from '../project/index.ts';
import { clientBlocks } from './client-pages.ts';
import type { Client } from './client-pages.ts';
import { heading } from './page.ts';
import type { Block, Page, Text } from './page.ts';
import { firstSentence, linksTo, linkTo, prose } from './prose.ts';
import type { Names } from './prose.ts';
import { schemaTable } from './schema-table.ts';

export interface Site {
  readonly canonical: CanonicalModel;
  readonly names: Names;
  readonly costs: ReadonlyMap<string, ToolCost>;
  readonly projection: Projection;
  readonly clients: readonly Client[];
  /** An answer the mock gives, checked against the schema. */
  readonly answer: (tool: ToolSpec, input: JsonValue) => JsonValue | undefined;
}

export function toolPage(tool: ToolSpec, site: Site): Page {
  const { canonical, names } = site;
  const tables = { lookup: canonical.lookup, names };
  const shape = (end: string): ReturnType<CanonicalModel['lookup']> =>
    canonical.shapes.get(`${tool.typeName}${end}`)?.node;
  return {
    path: `tools/${tool.name}`,
    group: 'Tools',
    title: tool.title,
    summary: firstSentence(tool.description),
    blocks: [
      { kind: 'text', text: [{ code: tool.name }] },
      { kind: 'text', text: prose(tool.description, names) },
      factsOf(tool, names),
      heading('Arguments'),
      ...(tool.context === 'project'
        ? [
            text(
              'A credential of an account also passes ',
              { code: 'project_id' },
              '; a credential of one project does not.',
            ),
          ]
        : []),
      schemaTable(shape('Input'), `Arguments of ${tool.name}`, tables),
      heading('Result'),
      schemaTable(shape('Output'), `Result of ${tool.name}`, tables),
      heading('Examples'),
      ...tool.examples.flatMap(({ name, input, output }): Block[] => {
        const answer = output ?? site.answer(tool, input);
        const shown = answer === undefined ? '' : clipped(JSON.stringify(answer, null, 2));
        const lines = shown.split('\n').length;
        return [
          heading(name, 3),
          { kind: 'code', text: JSON.stringify(input, null, 2) },
          ...(answer === undefined
            ? []
            : [
                text(output === undefined ? 'An answer of this shape, made up by the mock:' : 'Answers:'),
                {
                  kind: 'code' as const,
                  text: shown,
                  ...(lines > SHORT_EXAMPLE ? { folded: `Show ${lines} lines` } : {}),
                },
              ]),
        ];
      }),
      heading('Errors'),
      errorTable(tool, site),
      heading('Cost'),
      costTable(tool, site),
      ...clientBlocks(tool, site.clients, site.projection),
      ...lifecycleBlocks(tool, `tool ${tool.name}`, canonical.model.changes),
    ],
  };
}

const LONGEST_EXAMPLE = 60;
const SHORT_EXAMPLE = 16;

function clipped(json: string): string {
  const lines = json.split('\n');
  if (lines.length <= LONGEST_EXAMPLE) return json;
  return [...lines.slice(0, LONGEST_EXAMPLE), `… ${lines.length - LONGEST_EXAMPLE} more lines`].join('\n');
}

export function text(...parts: Text): Block {
  return { kind: 'text', text: parts };
}

function factsOf({ behaviour, permission, context, job, aliases }: ToolSpec, names: Names): Block {
  const facts: (readonly Text[])[] = [
    [['Effect'], [effectOf(behaviour)]],
    [['Permission'], [permission, ' through ', ...linksTo(behaviour.scopes, names)]],
    [['Works in'], [context === 'project' ? 'one project' : 'the whole account']],
    [['Answers'], job === undefined ? ['at once'] : ['with a receipt of ', linkTo(job, names)]],
    [['Spends'], [behaviour.costClass === 'free' ? 'nothing' : behaviour.costClass]],
    [['Repeats'], [REPEATS[behaviour.idempotency]]],
    [['Given up after'], [`${behaviour.timeoutSeconds} seconds`]],
    ...(aliases.length === 0 ? [] : [[['Old names'], linksTo(aliases, new Map())]]),
  ];
  return { kind: 'table', about: 'Behaviour', head: ['Property', 'Value'], rows: facts };
}

function effectOf({ readOnly, destructive, openWorld }: ToolSpec['behaviour']): string {
  const effect = readOnly ? 'reads only' : destructive ? 'changes and may destroy' : 'changes without destroying';
  return openWorld ? `${effect}; reaches outside this server` : effect;
}

const REPEATS = {
  none: 'act again',
  natural: 'change nothing more',
  key: 'are recognised by request_key',
} as const;

function errorTable({ errors, declaredErrors }: ToolSpec, { canonical, names }: Site): Block {
  const rows = canonical.model.errors
    .filter(({ code }) => errors.includes(code))
    .sort((left, right) => Number(declaredErrors.includes(right.code)) - Number(declaredErrors.includes(left.code)))
    .map(({ code, meaning, recovery, retryable }) => [
      [linkTo(code, names)],
      prose(meaning, names),
      prose(recovery, names),
      [retryable ? 'yes' : 'no'],
    ]);
  return { kind: 'table', about: 'Errors', head: ['Code', 'Meaning', 'What to do', 'Retry'], rows };
}

function costTable({ name }: ToolSpec, { costs }: Site): Block {
  const cost = costs.get(name);
  if (cost === undefined) return text('Unknown.');
  const rows = SEGMENTS.map((segment) => [
    [segment],
    [String(cost.segments[segment].tokens)],
    [String(cost.segments[segment].bytes)],
  ]);
  rows.push([['shown to every model'], [String(cost.shown.tokens)], [String(cost.shown.bytes)]]);
  rows.push([['whole'], [String(cost.whole.tokens)], [String(cost.whole.bytes)]]);
  return { kind: 'table', about: 'Cost in tokens (o200k) and bytes', head: ['Part', 'Tokens', 'Bytes'], rows };
}

/** How far callers may rely on an entity, and what was approved about it. */
export function lifecycleBlocks(
  { stability, deprecated }: Lifecycle,
  entity: string,
  changes: readonly ChangeSpec[],
): Block[] {
  const about = changes.filter(({ approves }) => approves.some((one) => one.entity === entity));
  return [
    heading('Lifecycle'),
    text(
      deprecated === undefined
        ? `Stability: ${stability}.`
        : `Deprecated since ${deprecated.since}, gone after ${deprecated.sunset}: ${deprecated.reason}${deprecated.replacement === undefined ? '' : ` Use ${deprecated.replacement}.`}`,
    ),
    ...(about.length === 0
      ? []
      : [
          {
            kind: 'list' as const,
            items: about.map(({ date, reason, migration }) => [`${date}: ${reason} ${migration ?? ''}`.trim()]),
          },
        ]),
  ];
}
