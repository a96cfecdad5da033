import type { TokenChange } from '../finding.ts';
import type { Scene } from '../scene.ts';
import type { Surface, ToolSurface } from '../surface/types.ts';

/** How much a definition may grow unseen: the larger of a share and a number of tokens. */
const TOOL_GROWTH = { share: 0.2, tokens: 40 };
const CATALOG_GROWTH = { share: 0.1, tokens: 500 };
const SEGMENTS = ['name', 'description', 'input', 'output', 'annotations'] as const;

export interface TokenCosts {
  readonly before: number;
  readonly after: number;
  readonly changes: readonly TokenChange[];
}

/** Costs of the larger listing; the counter is loaded only when a listing differs. */
export async function compareTokens(scene: Scene): Promise<TokenCosts> {
  const texts = [textsOf(scene.before), textsOf(scene.after)] as const;
  const names = new Set([...texts[0].keys(), ...texts[1].keys()]);
  const changed = [...names].filter((name) => texts[0].get(name)?.join('\n') !== texts[1].get(name)?.join('\n'));
  if (changed.length === 0) return { before: 0, after: 0, changes: [] };
  const { createTokenCounter } = await import('../../tokens/count.ts');
  const count = createTokenCounter();
  const cost = (list: readonly string[] | undefined): number[] =>
    SEGMENTS.map((_, at) => (list === undefined ? 0 : count(list[at] ?? '')));
  const total = (side: ReadonlyMap<string, readonly string[]>): number =>
    [...side.values()].reduce((sum, list) => sum + shown(cost(list)), 0);
  const changes = changed.sort().map((name): TokenChange => {
    const [was, is] = [cost(texts[0].get(name)), cost(texts[1].get(name))];
    const segments = SEGMENTS.map((segment, at) => [segment, [was[at] ?? 0, is[at] ?? 0] as const] as const);
    return { entity: `tool ${name}`, before: shown(was), after: shown(is), segments: Object.fromEntries(segments) };
  });
  const costs = { before: total(texts[0]), after: total(texts[1]), changes };
  reportGrowth(scene, costs);
  return costs;
}

/** Name, description and input are put before the model by every client. */
function shown(segments: readonly number[]): number {
  return segments.slice(0, 3).reduce((sum, one) => sum + one, 0);
}

function textsOf({ tools }: Surface): Map<string, readonly string[]> {
  return new Map(Object.entries(tools).map(([name, tool]) => [name, segmentsOf(name, tool)]));
}

function segmentsOf(name: string, { description, title, hints, published }: ToolSurface): string[] {
  const input = published.input['account'] ?? Object.values(published.input)[0] ?? {};
  return [
    name,
    description,
    JSON.stringify(input),
    published.output === undefined ? '' : JSON.stringify(published.output),
    JSON.stringify({ title, ...hints }),
  ];
}

function exceeds(before: number, after: number, limit: { share: number; tokens: number }): boolean {
  return after - before > Math.max(limit.tokens, before * limit.share);
}

function reportGrowth(scene: Scene, { before, after, changes }: TokenCosts): void {
  for (const { entity, before: was, after: is, segments } of changes) {
    if (was === 0 || !exceeds(was, is, TOOL_GROWTH)) continue;
    const grown = Object.entries(segments)
      .filter(([, [from, to]]) => to > from)
      .map(([segment, [from, to]]) => `${segment} ${from} → ${to}`);
    scene.report({
      rule: 'tool-token-cost-grew',
      entity,
      message: `The definition grew from ${was} to ${is} tokens (${grown.join(', ')}).`,
      before: was,
      after: is,
    });
  }
  if (before === 0 || !exceeds(before, after, CATALOG_GROWTH)) return;
  scene.report({
    rule: 'catalog-token-cost-grew',
    entity: 'server',
    path: '/tools',
    message: `The whole list grew from ${before} to ${after} tokens.`,
    before,
    after,
  });
}
