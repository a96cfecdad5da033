/** Writes a canonical shape as the schema that json-schema-to-typescript turns into exactly its type. */
import { hasDefaults } from '../../canonical/defaults.ts';
import { alternatives, isDisjoint } from '../../canonical/disjoint.ts';
import { objectOf } from '../../canonical/json.ts';
import type { JsonObject } from '../../canonical/json.ts';
import { NO_LIMITS } from '../../canonical/node.ts';
import type { Lookup, Node, ObjectNode, Property, TupleNode, UnionNode } from '../../canonical/node.ts';
import { literalPrefix } from '../../canonical/type-limits.ts';
import type { JsonValue } from '../../model/types.ts';
import { docText } from './doc-text.ts';

/** `sent`: what a caller may leave out is optional. `filled`: what has a default is present. */
export type View = 'sent' | 'filled';

export interface TypeViewContext {
  readonly view: View;
  readonly lookup: Lookup;
  /** Told every named type the expression mentions. */
  readonly mention: (typeName: string) => void;
}

/** The declared name of a shared shape in one view; the views differ only where a default is filled in. */
function viewedName(name: string, view: View, lookup: Lookup): string {
  const target = lookup(name);
  return view === 'filled' && target !== undefined && hasDefaults(target, lookup) ? `${name}Filled` : name;
}

export function typeView(node: Node, context: TypeViewContext): JsonObject {
  return { ...bare(node, context), ...docs(node) };
}

function docs(node: Node): JsonObject {
  const description = docText(node);
  return {
    ...(description === '' ? {} : { description }),
    ...(node.notes.deprecated === true ? { deprecated: true } : {}),
  };
}

function bare(node: Node, context: TypeViewContext): JsonObject {
  switch (node.kind) {
    case 'any':
      return { tsType: 'unknown' };
    case 'never':
      return { tsType: 'never' };
    case 'ref':
      return { tsType: named(node.name, context) };
    case 'literal':
      return node.values.every((value) => typeof value !== 'object' || value === null)
        ? { enum: node.values }
        : { tsType: `(${node.values.map((value) => JSON.stringify(value)).join(' | ')})` };
    case 'scalar':
      return { type: node.type };
    case 'array':
      return { type: 'array', items: typeView(node.items, context) };
    case 'tuple':
      return tuple(node, context);
    case 'union':
      return { anyOf: exactMembers(node, context) };
    case 'object':
      return object(node, context);
  }
}

function named(name: string, context: TypeViewContext): string {
  const declared = viewedName(name, context.view, context.lookup);
  context.mention(declared);
  return declared;
}

/**
 * Positions in draft-07 words, the only ones the emitter reads as a tuple. Every length is written out as an
 * alternative of its own, because the emitter's own spelling of them cannot stand before `[]`.
 */
function tuple(node: TupleNode, context: TypeViewContext): JsonObject {
  const length = node.items.length;
  const least = Math.min(node.limits.minItems ?? 0, length);
  const most = Math.min(node.limits.maxItems ?? length, length);
  const items = node.items.slice(0, most).map((item) => typeView(item, context));
  const closed = most < length || node.rest === 'closed' || (node.limits.maxItems ?? Infinity) <= length;
  const exactly = (count: number): JsonObject => ({
    type: 'array',
    items: items.slice(0, count),
    additionalItems: false,
    minItems: count,
    maxItems: count,
  });
  const last: JsonObject = closed
    ? exactly(most)
    : { type: 'array', items, additionalItems: typeView(node.rest, context), minItems: most };
  if (least === most) return last;
  return { anyOf: [...Array.from({ length: most - least }, (_, index) => exactly(least + index)), last] };
}

function object(node: ObjectNode, context: TypeViewContext): JsonObject {
  // An empty object type would accept every value that is not null.
  const empty = node.properties.length === 0 && node.patterns.length === 0 && node.rest === 'closed';
  if (empty) return { tsType: 'Record<string, never>' };
  const properties = objectOf(node.properties.map(({ name, node: child }) => [name, typeView(child, context)]));
  const required = node.properties.filter((property) => isPresent(property, context.view)).map(({ name }) => name);
  const members: JsonObject = { type: 'object', properties, required, additionalProperties: rest(node, context) };
  const prefixes = node.patterns.flatMap(({ pattern, node: value }) => {
    const prefix = literalPrefix(pattern);
    const type = `{ [name: \`${prefix ?? ''}\${string}\`]: ${printInline(value, context)} }`;
    return prefix === undefined || node.rest !== 'closed' ? [] : [{ tsType: type }];
  });
  if (prefixes.length === 0) return members;
  return node.properties.length === 0 && prefixes.length === 1
    ? (prefixes[0] ?? members)
    : { allOf: [members, ...prefixes] };
}

function isPresent({ required, node }: Property, view: View): boolean {
  return required || (view === 'filled' && node.notes.default !== undefined);
}

function rest(node: ObjectNode, context: TypeViewContext): JsonValue {
  if (node.rest === 'open') return true;
  if (node.rest !== 'closed') return typeView(node.rest, context);
  const maps = node.patterns
    .filter(({ pattern }) => literalPrefix(pattern) === undefined)
    .map(({ node: value }) => typeView(value, context));
  const [only] = maps;
  return only ?? false;
}

/**
 * TypeScript lets a literal mix the members of all union branches. Where no constant tells the branches apart, each
 * closed branch therefore says which members of the others it does not have.
 */
function exactMembers(node: UnionNode, context: TypeViewContext): JsonValue[] {
  const opened = node.members.flatMap((member) => {
    const inner = alternatives(member, context.lookup, 0);
    return member.kind === 'ref' && inner.length === 1 ? [member] : inner;
  });
  const shapes = opened.map((member) => alternatives(member, context.lookup, 0)[0] ?? member);
  const objects = shapes.filter((shape) => shape.kind === 'object');
  if (objects.length < 2 || haveDiscriminant(objects, context.lookup))
    return node.members.map((member) => typeView(member, context));
  const names = new Set(objects.flatMap((shape) => shape.properties.map(({ name }) => name)));
  return opened.map((member, index) => {
    const shape = shapes[index];
    if (shape?.kind !== 'object' || shape.rest !== 'closed' || shape.patterns.length > 0)
      return typeView(member, context);
    const absent = [...names].filter((name) => !shape.properties.some((property) => property.name === name));
    if (absent.length === 0) return typeView(member, context);
    if (member.kind === 'object')
      return typeView(
        { ...member, properties: [...member.properties, ...absent.map(forbidden)], rest: 'closed' },
        context,
      );
    const list = absent.map((name) => `${JSON.stringify(name)}?: never`).join('; ');
    return { ...typeView(member, context), tsType: `(${printInline(member, context)} & { ${list} })` };
  });
}

const forbidden = (name: string): Property => ({
  name,
  required: false,
  node: { kind: 'never', notes: {}, limits: NO_LIMITS },
});

function haveDiscriminant(objects: readonly ObjectNode[], lookup: Lookup): boolean {
  const [first] = objects;
  return (first?.properties ?? []).some(({ name }) => {
    const tags = objects.map((shape) => shape.properties.find((property) => property.name === name));
    return tags.every((tag, index) => {
      if (tag?.required !== true || tag.node.kind !== 'literal') return false;
      return tags.slice(index + 1).every((other) => other !== undefined && isDisjoint(tag.node, other.node, lookup));
    });
  });
}

/** The type as one expression, for shapes that need no declaration. */
function printInline(node: Node, context: TypeViewContext): string {
  switch (node.kind) {
    case 'ref':
      return named(node.name, context);
    case 'literal':
      return node.values.map((value) => JSON.stringify(value)).join(' | ');
    case 'scalar':
      return node.type === 'integer' ? 'number' : node.type;
    case 'never':
      return 'never';
    case 'array':
      return `(${printInline(node.items, context)})[]`;
    case 'union':
      return node.members.map((member) => printInline(member, context)).join(' | ');
    case 'any':
    case 'object':
    case 'tuple':
      return 'unknown';
  }
}
