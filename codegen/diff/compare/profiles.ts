import type { JsonValue } from '../../model/types.ts';
import type { Scene } from '../scene.ts';
import type { Surface } from '../surface/types.ts';

type Measure = (surface: Surface) => readonly (readonly [entity: string, path: string, size: number])[];

const tools: (size: (name: string, tool: Surface['tools'][string]) => number, path: string) => Measure =
  (size, path) => (surface) =>
    Object.entries(surface.tools).map(([name, tool]) => [`tool ${name}`, path, size(name, tool)]);

/** What each limit of a profile counts. */
const MEASURES: Readonly<Record<string, Measure>> = {
  tool_name: tools((name) => name.length, '/name'),
  tool_description: tools((_, { description }) => description.length, '/description'),
  definition_characters: tools(
    (name, tool) => name.length + tool.description.length + JSON.stringify(listed(tool)).length,
    '',
  ),
  schema_depth: tools((_, tool) => depth(listed(tool)), '/input'),
  schema_properties: tools((_, tool) => properties(listed(tool)), '/input'),
  tools: (surface) => [['server', '/tools', Object.keys(surface.tools).length]],
  instructions: ({ server }) => [['server', '/instructions', server.instructions.length]],
};

/** Limits of known clients that are exceeded for the first time. */
export function compareProfiles(scene: Scene): void {
  for (const [profile, { limits }] of Object.entries(scene.after.profiles)) {
    for (const [limit, most] of Object.entries(limits)) {
      const measure = MEASURES[limit];
      if (measure === undefined) continue;
      const before = new Map(measure(scene.before).map(([entity, , size]) => [entity, size]));
      for (const [entity, path, size] of measure(scene.after)) {
        if (size <= most || (before.get(entity) ?? 0) > most) continue;
        scene.report({
          rule: 'profile-limit-exceeded',
          entity,
          path,
          message: `${limit.replaceAll('_', ' ')} is ${size}; ${profile} takes ${most}.`,
          before: most,
          after: [profile, limit],
        });
      }
    }
  }
}

function listed({ published }: Surface['tools'][string]): JsonValue {
  return published.input['account'] ?? Object.values(published.input)[0] ?? {};
}

function depth(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inner = Object.entries(value).map(
    ([key, one]) => depth(one) + (key === 'properties' || key === 'items' ? 1 : 0),
  );
  return Math.max(0, ...inner);
}

function properties(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce(
    (sum, [key, one]) =>
      sum +
      properties(one) +
      (key === 'properties' && typeof one === 'object' && one !== null ? Object.keys(one).length : 0),
    0,
  );
}
