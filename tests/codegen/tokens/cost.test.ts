import assert from 'node:assert/strict';
import { edited } from '../support/contract-tree.ts';
import { inProject, run } from '../support-back/command.ts';
import type { Answer } from '../support-back/command.ts';

interface Told {
  readonly ok: boolean;
  readonly tools: readonly {
    readonly name: string;
    readonly segments: Readonly<Record<string, { readonly tokens: number }>>;
    readonly shown: { readonly tokens: number };
  }[];
  readonly shown: { readonly tokens: number };
  readonly views: readonly { readonly name: string; readonly shown: { readonly tokens: number } }[];
  readonly budgets: readonly { readonly budget: string; readonly kept: boolean; readonly tool?: string }[];
  readonly savings: readonly { readonly kind: string; readonly subject: string; readonly tokens: number }[];
}

const SURFACE_PARTS = ['server', 'definitions', 'resources', 'prompts', 'jobs', 'errors', 'scopes'];
const RELEASE = JSON.stringify({
  snapshot: 1,
  surface: {
    ...Object.fromEntries(SURFACE_PARTS.map((part) => [part, {}])),
    tools: { get_note: { description: 'Read one note.', published: { input: { account: { type: 'object' } } } } },
  },
});

function withBudgets(budgets: object, ...flags: readonly string[]): Promise<Answer> {
  const files = edited({ 'server:/budgets': budgets, 'releases/1.0.0.json:': RELEASE });
  return inProject((folder) => run(folder, 'cost', ...flags), files);
}

describe('mcp-contract cost', () => {
  it('tells tokens by tool and segment, by view and by profile', async () => {
    const { code, out } = await withBudgets({ tool: 1000 }, '--json');
    assert.equal(code, 0);
    // because the command prints this shape
    const told = JSON.parse(out) as Told;
    for (const { segments, shown } of told.tools) {
      const [name, description, input] = [segments['name'], segments['description'], segments['input']];
      assert.equal(shown.tokens, (name?.tokens ?? 0) + (description?.tokens ?? 0) + (input?.tokens ?? 0));
    }
    const tokens = Object.fromEntries(told.views.map(({ name, shown }) => [name, shown.tokens]));
    assert.deepEqual(Object.keys(tokens), ['account credential', 'project key', 'profile strict']);
    assert.equal(tokens['account credential'], told.shown.tokens);
    // A project key is not asked for the project.
    assert.ok((tokens['project key'] ?? 0) < told.shown.tokens);
  });

  it('fails beyond each budget and says which', async () => {
    const over = { tool: 40, mean: 10, catalogue: 50, with_output: 60, output_share: 5, growth: 10 };
    const { code, out } = await withBudgets(over, '--json');
    assert.equal(code, 1);
    const { ok, budgets } = JSON.parse(out) as Told;
    assert.equal(ok, false);
    const broken = budgets.filter(({ kept }) => !kept);
    assert.deepEqual([...new Set(broken.map(({ budget }) => budget))], Object.keys(over));
    assert.ok(broken.some(({ tool }) => tool === 'list_notes'));
    const text = await withBudgets(over);
    assert.equal(text.code, 1);
    assert.match(text.out, /^over {2}`list_notes` costs \d+ tokens, of 40 \(budgets\.tool\)$/mu);
    assert.match(text.err, /over its budget/u);
  });

  it('ranks what would save most, counted by taking it away', async () => {
    const { savings } = JSON.parse((await withBudgets({}, '--json')).out) as Told;
    const [first] = savings;
    assert.equal(first?.kind, 'output schemas');
    assert.deepEqual(
      savings.map(({ tokens }) => tokens),
      savings.map(({ tokens }) => tokens).sort((left, right) => right - left),
    );
    const shown = await withBudgets({}, '--savings', '--peers', '--view', 'project');
    assert.match(shown.out, /what would save most +tokens/u);
    assert.match(shown.out, /of the project listing/u);
    const order = [...shown.out.matchAll(/^(circleci|github|supabase|this catalogue, project key) /gmu)].map(
      ([, name]) => name,
    );
    assert.deepEqual(order.slice(-3), ['supabase', 'github', 'circleci']);
  });
});
