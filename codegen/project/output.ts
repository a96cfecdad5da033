/**
 * The published output schema: open where the contract is closed, so that a client with an older copy accepts new
 * members. `compact` tells types, `full` also tells descriptions, formats and bounds.
 */
import { member, objectOf } from '../canonical/json.ts';
import type { JsonObject } from '../canonical/json.ts';
import { isNull } from '../canonical/node.ts';
import type { LiteralNode, Lookup, Node, ObjectNode } from '../canonical/node.ts';
import type { JsonValue } from '../model/types.ts';
import { joinSchemas } from './join.ts';

export type OutputDetail = 'compact' | 'full';

export function projectOutput(root: Node, detail: OutputDetail, lookup: Lookup): JsonObject {
  const schema = new OutputProjection(detail, lookup).node(root, []);
  const shape = member(schema, 'type') === 'object' ? schema : { type: 'object' };
  return { ...shape, properties: member(shape, 'properties') ?? {} };
}

const NULL: JsonObject = { type: 'null' };

class OutputProjection {
  readonly #full: boolean;
  readonly #lookup: Lookup;

  constructor(detail: OutputDetail, lookup: Lookup) {
    this.#full = detail === 'full';
    this.#lookup = lookup;
  }

  node(node: Node, trail: readonly string[]): JsonObject {
    const shape = this.#shape(node, trail);
    const { description } = node.notes;
    return this.#full && description !== undefined ? { ...shape, description } : shape;
  }

  #shape(node: Node, trail: readonly string[]): JsonObject {
    switch (node.kind) {
      case 'any':
      case 'never':
        return {};
      case 'ref': {
        const target = this.#lookup(node.name);
        return target === undefined || trail.includes(node.name) ? {} : this.node(target, [...trail, node.name]);
      }
      case 'literal':
        return this.#literal(node);
      case 'scalar':
        return { type: node.type, ...this.#limits(node) };
      case 'array':
        return { type: 'array', ...this.#items(this.node(node.items, trail)), ...this.#limits(node) };
      case 'tuple': {
        const all = node.rest === 'closed' ? node.items : [...node.items, node.rest];
        return { type: 'array', ...this.#items(joinSchemas(all.map((item) => this.node(item, trail)))) };
      }
      case 'object':
        return this.#object(node, trail);
      case 'union':
        return this.#union(node.members, trail);
    }
  }

  #items(items: JsonObject): JsonObject {
    return Object.keys(items).length === 0 ? {} : { items };
  }

  /** Growing enums and constants other than text are told by their type alone. */
  #literal(node: LiteralNode): JsonObject {
    const values = node.values.filter((value) => value !== null);
    const texts = values.every((value) => typeof value === 'string');
    const base: JsonObject = texts
      ? { type: 'string', ...(node.notes.extensible === true ? {} : { enum: values }) }
      : joinSchemas(values.map((value) => ({ type: typeOf(value) })));
    if (values.length === node.values.length) return base;
    return values.length === 0 ? NULL : { anyOf: [base, NULL] };
  }

  #limits(node: Node): JsonObject {
    if (!this.#full) return {};
    const { pattern: _pattern, uniqueItems: _uniqueItems, multipleOf: _multipleOf, ...rest } = node.limits;
    return objectOf(
      Object.entries(rest).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const])),
    );
  }

  #object(node: ObjectNode, trail: readonly string[]): JsonObject {
    const properties: [string, JsonValue][] = [];
    const required: string[] = [];
    for (const { name, node: child, required: always } of node.properties) {
      const schema = this.node(child, trail);
      if (child.kind === 'never' || Object.keys(schema).every((key) => key === 'description')) continue;
      properties.push([name, schema]);
      if (always) required.push(name);
    }
    const { rest } = node;
    const values = typeof rest === 'string' ? undefined : this.node(rest, trail);
    return {
      type: 'object',
      ...(properties.length > 0 ? { properties: objectOf(properties) } : {}),
      ...(required.length > 0 ? { required } : {}),
      ...(values === undefined || Object.keys(values).length === 0 ? {} : { additionalProperties: values }),
    };
  }

  #union(members: readonly Node[], trail: readonly string[]): JsonObject {
    const shown = members.filter((one) => !isNull(one));
    const nullable = shown.length < members.length;
    const joined = joinSchemas(shown.map((one) => this.node(one, trail)));
    if (!nullable || Object.keys(joined).length === 0) return joined;
    const choice = member(joined, 'anyOf');
    return { anyOf: [...(Array.isArray(choice) ? choice : [joined]), NULL] };
  }
}

function typeOf(value: JsonValue): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return value === null ? 'null' : typeof value;
}
