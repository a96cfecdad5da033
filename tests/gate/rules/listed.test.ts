import assert from 'node:assert/strict';
import { diff } from '../../../codegen/diff/diff.ts';
import type { Finding } from '../../../codegen/diff/finding.ts';
import { ruleOf } from '../../../codegen/diff/rules/index.ts';
import type { Verdict } from '../../../codegen/diff/rules/rule.ts';
import type { PromptSurface, ResourceSurface, Surface, ToolSurface } from '../../../codegen/diff/surface/types.ts';
import { baseTree } from '../../codegen/support/contract-tree.ts';
import { loaded, surfaceOf, TODAY } from '../support/trees.ts';

type Change = (surface: Surface) => Surface;

const tool =
  (change: Partial<ToolSurface>, name = 'get_note'): Change =>
  (surface) => ({ ...surface, tools: { ...surface.tools, [name]: { ...need(surface.tools[name]), ...change } } });
const without =
  <K extends keyof ToolSurface>(...keys: K[]): Change =>
  (surface) => {
    const kept = Object.entries(need(surface.tools['get_note'])).filter(([key]) => !keys.some((one) => one === key));
    // because only optional members are left out
    return tool({})({
      ...surface,
      tools: { ...surface.tools, get_note: Object.fromEntries(kept) as unknown as ToolSurface },
    });
  };
const resource =
  (change: Partial<ResourceSurface>): Change =>
  (surface) => ({ ...surface, resources: { ...surface.resources, spot: { ...SPOT, ...change } } });
const prompt =
  (change: Partial<PromptSurface>): Change =>
  (surface) => ({ ...surface, prompts: { ...surface.prompts, ask: { ...ASK, ...change } } });
const server =
  (change: Partial<Surface['server']>): Change =>
  (surface) => ({ ...surface, server: { ...surface.server, ...change } });
const same: Change = (surface) => surface;

const SPOT: ResourceSurface = {
  title: 'Spot',
  description: 'One spot.',
  stability: 'stable',
  uri: 'notes://spot/1',
  mimeType: 'text/plain',
  content: 'text',
  variables: {},
  query: {},
};
const ASK: PromptSurface = { title: 'Ask', description: 'Asks.', stability: 'stable', arguments: [] };
const { uri: _, ...NOWHERE } = SPOT;
const templated =
  (uriTemplate: string): Change =>
  (surface) => ({ ...surface, resources: { ...surface.resources, spot: { ...NOWHERE, uriTemplate } } });
const gone =
  (name: string): Change =>
  (surface) => ({
    ...surface,
    origin: 'server',
    tools: Object.fromEntries(Object.entries(surface.tools).filter(([key]) => key !== name)),
  });
const listed: Change = (surface) => ({ ...surface, origin: 'server' });
const recased: Change = (surface) => {
  const { get_note, ...rest } = surface.tools;
  return { ...surface, tools: { ...rest, Get_Note: need(get_note) } };
};

/** What only a listing, a snapshot or another compiler can show: rule, before, after, and an after that keeps it. */
const FIXTURES: readonly (readonly [rule: string, before: Change, after: Change, keeps?: Change, verdict?: Verdict])[] =
  [
    ['tool-removed', listed, gone('get_note')],
    ['tool-name-case-changed', same, recased, same],
    [
      'tool-view-lost',
      same,
      (surface) => ({
        ...surface,
        views: surface.views.map((view) => ({ ...view, tools: view.grant === 'project/read' ? [] : view.tools })),
      }),
    ],
    [
      'resource-view-lost',
      same,
      (surface) => ({
        ...surface,
        views: surface.views.map((view) => ({
          ...view,
          templates: view.grant === 'project/read' ? [] : view.templates,
        })),
      }),
    ],
    [
      'prompt-view-lost',
      same,
      (surface) => ({
        ...surface,
        views: surface.views.map((view) => ({ ...view, prompts: view.grant === 'project/read' ? [] : view.prompts })),
      }),
    ],
    [
      'server-view-lost',
      same,
      (surface) => ({ ...surface, views: surface.views.filter(({ grant }) => grant !== 'project/read') }),
    ],
    [
      'hint-omitted',
      tool({ hints: { readOnlyHint: true, openWorldHint: true } }),
      tool({ hints: { readOnlyHint: true } }),
      tool({ hints: { readOnlyHint: true, openWorldHint: false } }),
    ],
    ['task-support-required', tool({ taskSupport: 'optional' }), tool({ taskSupport: 'required' })],
    ['task-support-changed', tool({ taskSupport: 'optional' }), tool({ taskSupport: 'forbidden' })],
    ['task-support-offered', same, tool({ taskSupport: 'optional' })],
    [
      'job-link-changed',
      tool({ job: 'note_export' }),
      tool({ job: 'other_export' }),
      tool({ job: 'note_export', title: 'Get' }),
    ],
    ['input-root-not-object', same, tool({ input: { type: 'array' } })],
    ['output-root-changed', same, tool({ output: { type: 'array' } })],
    ['output-schema-added', without('output'), same],
    ['output-schema-removed', same, without('output')],
    [
      'projection-changed',
      same,
      tool({ published: { input: { project: { type: 'object' } } } }),
      tool({ title: 'Get' }),
    ],
    [
      'catalog-token-cost-grew',
      same,
      tool({ description: 'It tells about notes and what became of them. '.repeat(80) }),
    ],
    ['resource-text-blob-flip', resource({}), resource({ content: 'blob' }), resource({ title: 'A spot' })],
    ['resource-payload-added', resource({}), resource({ payload: { type: 'object' } })],
    ['resource-payload-removed', resource({ payload: { type: 'object' } }), resource({})],
    [
      'resource-audience-changed',
      resource({ priority: 1 }),
      resource({ priority: 0.5 }),
      resource({ priority: 1, title: 'A spot' }),
    ],
    [
      'resource-size-changed',
      resource({ size: 10 }),
      resource({ size: 10_000 }),
      resource({ size: 10, title: 'A spot' }),
    ],
    [
      'resource-removed-before-sunset',
      resource({ deprecated: { since: '1.0.0', sunset: '2027-06-01', reason: 'Old.' } }),
      same,
      resource({}),
    ],
    [
      'resource-removed-after-sunset',
      resource({ deprecated: { since: '1.0.0', sunset: '2026-06-01', reason: 'Old.' } }),
      same,
      resource({}),
    ],
    [
      'prompt-removed-before-sunset',
      prompt({ deprecated: { since: '1.0.0', sunset: '2027-06-01', reason: 'Old.' } }),
      same,
      prompt({}),
    ],
    [
      'prompt-removed-after-sunset',
      prompt({ deprecated: { since: '1.0.0', sunset: '2026-06-01', reason: 'Old.' } }),
      same,
      prompt({}),
    ],
    ['resource-to-template', resource({}), templated('notes://places/{n}'), resource({ title: 'A spot' })],
    ['resource-to-template', resource({}), templated('notes://spot/{n}'), resource({ title: 'A spot' }), 'risky'],
    ['template-to-resource', templated('notes://spot/{n}'), resource({})],
    [
      'template-match-set-shrunk',
      templated('notes://spot/{+n}'),
      templated('notes://spot/{n}'),
      templated('notes://spot/{+n}'),
    ],
    [
      'template-operator-changed',
      templated('notes://spot/{n}'),
      templated('notes://spot/{+n}'),
      templated('notes://spot/{n}'),
    ],
    [
      'sunset-invalid',
      same,
      tool({ deprecated: { since: '1.0.0', sunset: 'soon', reason: 'Old.' } }),
      tool({ deprecated: { since: '1.0.0', sunset: '2027-06-01', reason: 'Old.' } }),
    ],
    ['protocol-revision-dropped', same, server({ revisions: ['2025-11-25'] })],
    ['protocol-revision-added', server({ revisions: ['2025-11-25'] }), same],
    ['capability-dropped', same, server({ capabilities: ['tools'] })],
    ['capability-added', server({ capabilities: ['tools'] }), same],
    ['extension-dropped', server({ extensions: ['tasks'] }), server({ extensions: [] })],
    ['extension-added', server({ extensions: [] }), server({ extensions: ['tasks'] })],
    ['source-brand-changed', branded('uuid'), branded('slug'), branded('uuid')],
  ];

function branded(kind: string): Change {
  return (surface) => ({
    ...surface,
    definitions: {
      ...surface.definitions,
      Key: { entity: 'model key', path: '/schema', schema: { type: 'string', id_kind: kind } },
    },
  });
}

function need<T>(value: T | undefined): T {
  assert.ok(value !== undefined);
  return value;
}

describe('rules about what only listings and snapshots show', function () {
  this.timeout(60_000);
  let base: Surface;

  before(async () => {
    base = (await surfaceOf(baseTree(), 'base')).surface;
  });

  const find = async (before: Change, after: Change): Promise<readonly Finding[]> => {
    const ends = [loaded(before(base), 'before'), loaded(after(base), 'after')] as const;
    return (await diff(ends[0], ends[1], { today: TODAY, rules: 'source' })).findings;
  };

  for (const [rule, before, after, keeps, verdict] of FIXTURES) {
    it(`${rule} speaks ${verdict === undefined ? '' : `as ${verdict}`}`.trim(), async () => {
      const findings = await find(before, after);
      const hit = findings.find((one) => one.rule === rule);
      assert.ok(hit !== undefined, `found ${findings.map((one) => one.rule).join(', ')}`);
      assert.equal(hit.verdict, verdict ?? ruleOf(rule).verdict);
    });
    it(`${rule} is silent ${verdict === undefined ? 'otherwise' : `otherwise (${verdict})`}`, async () => {
      const findings = keeps === undefined ? await find(after, before) : await find(before, keeps);
      assert.ok(!findings.some((one) => one.rule === rule));
    });
  }
});
