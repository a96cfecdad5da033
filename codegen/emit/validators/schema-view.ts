/** Writes a canonical shape as the schema that ajv compiles: no annotations, no composition it gets wrong. */
import { isJsonObject, objectOf } from '../../canonical/json.ts';
import type { JsonObject } from '../../canonical/json.ts';
import { isNull } from '../../canonical/node.ts';
import type { Node, ObjectNode, UnionNode } from '../../canonical/node.ts';
import type { JsonValue } from '../../model/types.ts';

export const idOf = (name: string): string => `shape:${name}`;

export function schemaView(node: Node, fill: boolean): JsonValue {
  switch (node.kind) {
    case 'any':
      return {};
    case 'never':
      return false;
    case 'ref':
      return { $ref: idOf(node.name) };
    case 'literal':
      return node.values.length === 1 ? { const: node.values[0] ?? null } : { enum: node.values };
    case 'scalar':
      return { type: node.type, ...node.limits };
    case 'array':
      return {
        type: 'array',
        ...node.limits,
        items: schemaView(node.items, fill),
        ...(node.contains === undefined ? {} : containsView(node.contains)),
      };
    case 'tuple': {
      const most = Math.min(node.limits.maxItems ?? node.items.length, node.items.length);
      const closed = node.rest === 'closed' ? { items: false, maxItems: most } : { items: schemaView(node.rest, fill) };
      return {
        type: 'array',
        ...node.limits,
        minItems: node.limits.minItems ?? 0,
        prefixItems: node.items.map((item) => schemaView(item, fill)),
        ...closed,
      };
    }
    case 'object':
      return objectView(node, fill);
    case 'union':
      return unionView(node, fill);
  }
}

function containsView({
  node,
  minContains,
  maxContains,
}: NonNullable<Extract<Node, { kind: 'array' }>['contains']>): JsonObject {
  return {
    contains: schemaView(node, false),
    ...(minContains === undefined ? {} : { minContains }),
    ...(maxContains === undefined ? {} : { maxContains }),
  };
}

function objectView(node: ObjectNode, fill: boolean): JsonObject {
  const properties = node.properties.map(({ name, node: child }): [string, JsonValue] => {
    const view = schemaView(child, fill);
    const preset = child.notes.default;
    return [name, fill && preset !== undefined && isJsonObject(view) ? { ...view, default: preset } : view];
  });
  const required = node.properties.filter((property) => property.required).map(({ name }) => name);
  const patterns = node.patterns.map(({ pattern, node: child }): [string, JsonValue] => [
    pattern,
    schemaView(child, fill),
  ]);
  return {
    type: 'object',
    ...node.limits,
    ...(required.length > 0 ? { required } : {}),
    properties: objectOf(properties),
    ...(patterns.length > 0 ? { patternProperties: objectOf(patterns) } : {}),
    ...(node.propertyNames === undefined ? {} : { propertyNames: schemaView(node.propertyNames, false) }),
    ...(node.rest === 'open'
      ? {}
      : { additionalProperties: node.rest === 'closed' ? false : schemaView(node.rest, fill) }),
  };
}

/** A nullable value is one schema with two types: defaults inside it are filled and its faults stay readable. */
function unionView(node: UnionNode, fill: boolean): JsonObject {
  const shown = node.members.filter((member) => !isNull(member));
  const [only] = shown;
  if (shown.length === 1 && shown.length < node.members.length && only !== undefined) {
    if (only.kind === 'literal') return { enum: [...only.values, null] };
    const view = schemaView(only, fill);
    if (isJsonObject(view) && 'type' in view) return { ...view, type: [view['type'] ?? null, 'null'] };
  }
  return { anyOf: node.members.map((member) => schemaView(member, fill)) };
}
