/**
 * The published input schema: what the strictest known client can read. Every value the authored schema accepts is
 * accepted by it, except that a null which may be left out is not shown; everything dropped is reported.
 */
import { isJsonArray, member, objectOf } from '../canonical/json.ts';
import type { JsonObject } from '../canonical/json.ts';
import { isNull } from '../canonical/node.ts';
import type {
  ArrayNode,
  CanonicalFault,
  LiteralNode,
  Lookup,
  Node,
  ObjectNode,
  ScalarNode,
  TupleNode,
} from '../canonical/node.ts';
import type { JsonPath, JsonValue } from '../model/types.ts';
import { joinSchemas } from './join.ts';
import type { NoteLoss } from './loss.ts';
import { describeInput } from './prose.ts';

export interface ProjectionContext {
  readonly lookup: Lookup;
  readonly lose: NoteLoss;
  /** What cannot be shown without refusing values the server accepts. */
  readonly fault: (fault: CanonicalFault) => void;
}

/** From here on a bound tells a reader nothing that helps to choose a value, and costs tokens in every conversation. */
const LONG_TEXT = 32;
const LARGE_NUMBER = 1_000_000_000;

const PORTABLE_FORMATS = new Set(['date-time', 'date', 'time', 'email', 'uri', 'uuid']);

/** The wire form of a tool's arguments, without `project_id`. */
export function projectInput(root: Node, path: JsonPath, context: ProjectionContext): JsonObject {
  const schema = new InputProjection(context).node(root, path, []);
  const { description: _unused, ...shape } = member(schema, 'type') === 'object' ? schema : { type: 'object' };
  return { ...shape, properties: member(shape, 'properties') ?? {}, additionalProperties: false };
}

class InputProjection {
  readonly #context: ProjectionContext;

  constructor(context: ProjectionContext) {
    this.#context = context;
  }

  node(node: Node, path: JsonPath, trail: readonly string[], name?: string): JsonObject {
    const shape = this.#shape(node, path, trail);
    const description = describeInput(node, shape, this.#context.lookup, name);
    const header = node.notes.header === undefined ? {} : { 'x-mcp-header': node.notes.header };
    return { ...shape, ...(description === '' ? {} : { description }), ...header };
  }

  #shape(node: Node, path: JsonPath, trail: readonly string[]): JsonObject {
    switch (node.kind) {
      case 'any':
      case 'never':
        this.#context.lose(path, 'type', 'Any JSON value is accepted; the published schema has no type for that.');
        return {};
      case 'ref':
        return this.#reference(node.name, path, trail);
      case 'literal':
        return this.#literal(node, path);
      case 'scalar':
        return this.#scalar(node, path);
      case 'array':
        return this.#array(node, path, trail);
      case 'tuple':
        return this.#tuple(node, path, trail);
      case 'object':
        return this.#object(node, path, trail);
      case 'union':
        return this.#union(node.members, path, trail);
    }
  }

  #reference(name: string, path: JsonPath, trail: readonly string[]): JsonObject {
    const target = this.#context.lookup(name);
    if (target === undefined || trail.includes(name)) {
      this.#context.fault({
        path,
        message: `\`${name}\` contains itself, and published inputs hold no references.`,
        remedy: 'Bound the nesting by writing its levels out.',
      });
      return { type: 'object' };
    }
    return this.node(target, path, [...trail, name]);
  }

  #literal(node: LiteralNode, path: JsonPath): JsonObject {
    const values = node.values.filter((value) => value !== null);
    if (values.every((value) => typeof value === 'string')) return { type: 'string', enum: values };
    if (values.every((value) => typeof value === 'boolean')) return { type: 'boolean' };
    if (values.every((value) => typeof value === 'number')) {
      this.#context.lose(
        path,
        'enum',
        'Only the range of these numbers is published, the values stand in the description.',
      );
      const type = values.every((value) => Number.isInteger(value)) ? 'integer' : 'number';
      return { type, minimum: Math.min(...values), maximum: Math.max(...values) };
    }
    this.#context.lose(path, 'enum', 'Values of several types are published by type only.');
    return joinSchemas(values.map((value) => ({ type: Array.isArray(value) ? 'array' : typeof value })));
  }

  #scalar(node: ScalarNode, path: JsonPath): JsonObject {
    const { minLength, maxLength, pattern, format, minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } =
      node.limits;
    if (node.type === 'string') {
      const portable = format !== undefined && PORTABLE_FORMATS.has(format);
      if (format !== undefined && !portable)
        this.#context.lose(path, 'format', `Format ${format} stands in the description only.`);
      // A format or a pattern says how long a text is, and says more.
      const shaped = portable || pattern !== undefined;
      const most = this.#telling(maxLength, !shaped && (maxLength ?? 0) < LONG_TEXT, path, 'maxLength');
      const least = this.#telling(minLength, !shaped && (minLength ?? 0) > 1, path, 'minLength');
      return {
        type: 'string',
        ...given({ minLength: least, maxLength: most, pattern, format: portable ? format : undefined }),
      };
    }
    const step = node.type === 'integer' ? 1 : 0;
    if (step === 0 && (exclusiveMinimum ?? exclusiveMaximum) !== undefined)
      this.#context.lose(path, 'exclusiveMinimum', 'The bound is published as inclusive.');
    if (multipleOf !== undefined) this.#context.lose(path, 'multipleOf', 'The step stands in the description only.');
    const low = larger(minimum, exclusiveMinimum === undefined ? undefined : nextUp(exclusiveMinimum, step));
    const high = smaller(maximum, exclusiveMaximum === undefined ? undefined : nextDown(exclusiveMaximum, step));
    const shownLow = this.#telling(low, low !== 0 && low !== 1 && Math.abs(low ?? 0) < LARGE_NUMBER, path, 'minimum');
    const shownHigh = this.#telling(high, Math.abs(high ?? 0) < LARGE_NUMBER, path, 'maximum');
    return { type: node.type, ...given({ minimum: shownLow, maximum: shownHigh }) };
  }

  #telling(bound: number | undefined, tells: boolean, path: JsonPath, keyword: string): number | undefined {
    if (bound === undefined || tells) return bound;
    this.#context.lose(path, keyword, 'A bound so wide that it guides no choice is not published.');
    return undefined;
  }

  #array(node: ArrayNode, path: JsonPath, trail: readonly string[]): JsonObject {
    this.#listLosses(node, path);
    const items = this.#item(node.items, [...path, 'items'], trail);
    return { type: 'array', items, ...given({ minItems: this.#least(node, path), maxItems: node.limits.maxItems }) };
  }

  #least({ limits: { minItems } }: ArrayNode, path: JsonPath): number | undefined {
    return this.#telling(minItems, (minItems ?? 0) > 1, path, 'minItems');
  }

  #listLosses(node: ArrayNode | TupleNode, path: JsonPath): void {
    if (node.limits.uniqueItems === true)
      this.#context.lose(path, 'uniqueItems', 'That items differ stands in the description only.');
    if (node.kind === 'array' && node.contains !== undefined)
      this.#context.lose(path, 'contains', 'What the list must contain is not published.');
  }

  /** An item cannot be left out, so a null among items has to be shown or refused. */
  #item(node: Node, path: JsonPath, trail: readonly string[]): JsonObject {
    if (acceptsNull(node, this.#context.lookup)) {
      this.#context.fault({
        path,
        message: 'Null items cannot be published.',
        remedy: 'Leave such items out of the list, or wrap them in an object.',
      });
    }
    return this.node(node, path, trail);
  }

  #tuple(node: TupleNode, path: JsonPath, trail: readonly string[]): JsonObject {
    this.#listLosses(node, path);
    this.#context.lose(
      [...path, 'prefixItems'],
      'prefixItems',
      'Positions are published as one list of all their types.',
    );
    const all = node.rest === 'closed' ? node.items : [...node.items, node.rest];
    const items = joinSchemas(all.map((item, index) => this.#item(item, [...path, 'prefixItems', index], trail)));
    const most =
      node.rest === 'closed'
        ? Math.min(node.limits.maxItems ?? node.items.length, node.items.length)
        : node.limits.maxItems;
    return { type: 'array', items, ...given({ minItems: node.limits.minItems, maxItems: most }) };
  }

  #object(node: ObjectNode, path: JsonPath, trail: readonly string[]): JsonObject {
    const properties: [string, JsonValue][] = [];
    const required: string[] = [];
    for (const { name, node: child, required: needed } of node.properties) {
      const where = [...path, 'properties', name];
      if (child.kind === 'never') continue;
      properties.push([name, this.node(child, where, trail, name)]);
      const nullable = acceptsNull(child, this.#context.lookup);
      if (nullable)
        this.#context.lose(where, 'null', 'Null is accepted and not published; leave the member out instead.');
      if (needed && !nullable && child.notes.default === undefined) required.push(name);
    }
    if (node.propertyNames !== undefined)
      this.#context.lose(path, 'propertyNames', 'What names may look like is not published.');
    if ((node.limits.minProperties ?? node.limits.maxProperties) !== undefined)
      this.#context.lose(path, 'maxProperties', 'The number of members is not published.');
    const rest = this.#rest(node, path, trail);
    return {
      type: 'object',
      properties: objectOf(properties),
      ...(required.length > 0 ? { required } : {}),
      ...(rest === undefined ? {} : { additionalProperties: rest }),
    };
  }

  #rest(node: ObjectNode, path: JsonPath, trail: readonly string[]): JsonValue | undefined {
    if (node.rest === 'open') return undefined;
    const values = node.patterns.map(({ pattern, node: value }) => {
      this.#context.lose(
        [...path, 'patternProperties', pattern],
        'patternProperties',
        'The pattern of names is published as any name.',
      );
      return this.#item(value, [...path, 'patternProperties', pattern], trail);
    });
    if (node.rest !== 'closed') values.push(this.#item(node.rest, [...path, 'additionalProperties'], trail));
    if (values.length === 0) return false;
    const joined = joinSchemas(values);
    return Object.keys(joined).length === 0 ? undefined : joined;
  }

  #union(members: readonly Node[], path: JsonPath, trail: readonly string[]): JsonObject {
    const shown = members.filter((one) => !isNull(one));
    const [only] = shown;
    if (shown.length === 1 && only !== undefined) return this.node(only, path, trail);
    this.#context.lose(path, 'anyOf', 'The alternatives are published as one shape that accepts all of them.');
    const joined = joinSchemas(shown.map((one) => this.node(one, path, trail)));
    if (isJsonArray(member(joined, 'anyOf')))
      this.#context.lose(path, 'anyOf', 'Some clients do not read a choice of types.');
    return joined;
  }
}

/** Whether null is one of the accepted values. */
export function acceptsNull(node: Node, lookup: Lookup, depth = 0): boolean {
  if (depth > 8) return false;
  if (node.kind === 'union') return node.members.some((one) => acceptsNull(one, lookup, depth + 1));
  if (node.kind === 'literal') return node.values.includes(null);
  if (node.kind === 'ref') {
    const target = lookup(node.name);
    return target !== undefined && acceptsNull(target, lookup, depth + 1);
  }
  return isNull(node);
}

function given(values: { readonly [keyword: string]: JsonValue | undefined }): JsonObject {
  return objectOf(
    Object.entries(values).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const])),
  );
}

const nextUp = (bound: number, step: number): number => (step === 0 ? bound : Math.floor(bound) + step);
const nextDown = (bound: number, step: number): number => (step === 0 ? bound : Math.ceil(bound) - step);

function larger(left: number | undefined, right: number | undefined): number | undefined {
  return left === undefined || right === undefined ? (left ?? right) : Math.max(left, right);
}

function smaller(left: number | undefined, right: number | undefined): number | undefined {
  return left === undefined || right === undefined ? (left ?? right) : Math.min(left, right);
}
