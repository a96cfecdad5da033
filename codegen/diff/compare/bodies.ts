import type { JsonSchema, Stability } from '../../model/types.ts';
import { match, type Scene } from '../scene.ts';
import type { ResourceSurface, ToolSurface } from '../surface/types.ts';
import { SchemaComparison, type Body } from './schemas.ts';

/** Compares every schema of the surface in the direction its values travel. */
export function compareBodies(scene: Scene, checked: boolean): SchemaComparison {
  const comparison = new SchemaComparison(scene, checked);
  for (const { name, before, after } of toolPairs(scene)) compareTool(scene, comparison, { name, before, after });
  for (const { name, before, after } of match(scene.before.resources, scene.after.resources).both) {
    const base = { entity: `resource ${name}`, stability: before.stability };
    optional(comparison, { ...base, path: '/payload', direction: 'out' }, before.payload, after.payload);
    variables(comparison, base, before, after);
  }
  for (const { name, before, after } of match(scene.before.jobs, scene.after.jobs).both) {
    const base = { entity: `job ${name}`, stability: 'stable', direction: 'out' } as const;
    optional(comparison, { ...base, path: '/progress' }, before.progress, after.progress);
    optional(comparison, { ...base, path: '/details' }, before.details, after.details);
  }
  for (const { name, before, after } of match(scene.before.errors, scene.after.errors).both) {
    const base = { entity: `error ${name}`, stability: 'stable', direction: 'out' } as const;
    optional(comparison, { ...base, path: '/fields' }, before.fields, after.fields);
  }
  for (const { name, before, after } of match(scene.before.endpoints, scene.after.endpoints).both) {
    const base = { entity: `endpoint ${name}`, stability: before.stability };
    optional(comparison, { ...base, path: '/parameters', direction: 'in' }, before.parameters, after.parameters);
    optional(comparison, { ...base, path: '/request/schema', direction: 'in' }, before.request, after.request);
    optional(comparison, { ...base, path: '/response/schema', direction: 'out' }, before.response, after.response);
  }
  return comparison;
}

interface ToolPair {
  readonly name: string;
  readonly before: ToolSurface;
  readonly after: ToolSurface;
}

/** Tools by name, and those that went on under another name while the old one still answers. */
function toolPairs({ before, after }: Scene): ToolPair[] {
  const { both, gone } = match(before.tools, after.tools);
  const moved = gone.flatMap(([name, tool]): ToolPair[] => {
    const holder = Object.entries(after.tools).find(([, one]) => one.aliases.includes(name));
    return holder === undefined ? [] : [{ name: holder[0], before: tool, after: holder[1] }];
  });
  return [...both, ...moved];
}

function compareTool(scene: Scene, comparison: SchemaComparison, { name, before, after }: ToolPair): void {
  const entity = `tool ${name}`;
  const { stability } = before;
  comparison.compare({
    entity,
    path: '/input',
    direction: 'in',
    before: before.input,
    after: after.input,
    stability,
  });
  if (before.output === undefined && after.output !== undefined) {
    const message = `Results of \`${name}\` have a promised shape now.`;
    scene.report({ rule: 'output-schema-added', entity, path: '/output', message, stability });
  } else if (before.output !== undefined && after.output === undefined) {
    const message = `Results of \`${name}\` have no promised shape any more.`;
    scene.report({ rule: 'output-schema-removed', entity, path: '/output', message, stability });
  } else {
    optional(comparison, { entity, path: '/output', direction: 'out', stability }, before.output, after.output);
  }
  for (const [view, schema] of Object.entries(before.published.input)) {
    const other = after.published.input[view];
    // Listings of different grants differ by the project argument alone, so one of them tells the whole.
    if (other === undefined || (view === 'account' && before.published.input['project'] !== undefined)) continue;
    comparison.lag({ entity, path: '/input', before: schema, after: other, stability });
  }
}

function optional(
  comparison: SchemaComparison,
  base: Omit<Body, 'before' | 'after'>,
  before: JsonSchema | undefined,
  after: JsonSchema | undefined,
): void {
  if (before !== undefined && after !== undefined) comparison.compare({ ...base, before, after });
}

function variables(
  comparison: SchemaComparison,
  base: { readonly entity: string; readonly stability: Stability },
  before: ResourceSurface,
  after: ResourceSurface,
): void {
  for (const list of ['variables', 'query'] as const) {
    for (const { name, before: was, after: is } of match(before[list], after[list]).both) {
      const path = `/${list}/${name}`;
      comparison.compare({ ...base, path, direction: 'in', before: was.schema, after: is.schema });
    }
  }
}
