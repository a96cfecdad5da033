/** Proves that no value fits two canonical schemas at once. "Not proved" is the safe answer. */
import { sameJson } from './json.ts';
import { hasType } from './keywords.ts';
import { membersOf } from './node.ts';
import type { LiteralNode, Lookup, Node, ObjectNode, ScalarType } from './node.ts';

const DEEPEST = 4;

export function isDisjoint(left: Node, right: Node, lookup: Lookup, depth = 0): boolean {
  if (depth > DEEPEST) return false;
  const ones = alternatives(left, lookup, 0);
  const twos = alternatives(right, lookup, 0);
  return ones.every((one) => twos.every((two) => apart(one, two, lookup, depth)));
}

/** The node's alternatives with references opened. */
export function alternatives(node: Node, lookup: Lookup, depth: number): readonly Node[] {
  if (node.kind === 'union') return node.members.flatMap((member) => alternatives(member, lookup, depth));
  if (node.kind !== 'ref' || depth > DEEPEST) return [node];
  const target = lookup(node.name);
  return target === undefined ? [node] : membersOf(target).flatMap((member) => alternatives(member, lookup, depth + 1));
}

function apart(left: Node, right: Node, lookup: Lookup, depth: number): boolean {
  if (left.kind === 'never' || right.kind === 'never') return true;
  if (left.kind === 'any' || right.kind === 'any' || left.kind === 'ref' || right.kind === 'ref') return false;
  if (left.kind === 'literal') return literalApart(left, right);
  if (right.kind === 'literal') return literalApart(right, left);
  const [one, two] = [family(left), family(right)];
  if (one !== two) return true;
  if (left.kind === 'object' && right.kind === 'object') return objectsApart(left, right, lookup, depth);
  if (left.kind === 'tuple' && right.kind === 'tuple') {
    return left.items.some((item, index) => {
      const other = right.items[index];
      const always = Math.min(left.limits.minItems ?? 0, right.limits.minItems ?? 0) > index;
      return other !== undefined && always && isDisjoint(item, other, lookup, depth + 1);
    });
  }
  return false;
}

function literalApart(literal: LiteralNode, other: Node): boolean {
  return literal.values.every((value) => {
    if (other.kind === 'literal') return !other.values.some((one) => sameJson(one, value));
    if (other.kind === 'scalar') return !hasType(value, other.type);
    return typeof value !== 'object' || value === null;
  });
}

function family(node: Node): string {
  if (node.kind === 'scalar') return numeric(node.type);
  return node.kind === 'tuple' ? 'array' : node.kind;
}

const numeric = (type: ScalarType): string => (type === 'integer' ? 'number' : type);

function objectsApart(left: ObjectNode, right: ObjectNode, lookup: Lookup, depth: number): boolean {
  const forbids = (one: ObjectNode, two: ObjectNode): boolean =>
    one.properties.some(({ name, required, node }) => {
      if (!required) return false;
      const other = two.properties.find((property) => property.name === name);
      if (other === undefined) return two.rest === 'closed' && two.patterns.length === 0;
      return isDisjoint(node, other.node, lookup, depth + 1);
    });
  return forbids(left, right) || forbids(right, left);
}
