/** Finds shapes whose TypeScript type would be wider than their validator in a way the compiler would hide. */
import type { JsonPath } from '../model/types.ts';
import { alternatives } from './disjoint.ts';
import { canonicalText } from './json.ts';
import type { CanonicalFault, Lookup, Node, ObjectNode } from './node.ts';

/** The literal start of names a pattern matches, when the pattern says nothing else: `^x-` gives `x-`. */
export function literalPrefix(pattern: string): string | undefined {
  const match = /^\^((?:[\w:@ -]|\\[.$/-])+)$/u.exec(pattern);
  return match?.[1]?.replaceAll('\\', '');
}

export function refuseInexactTypes(
  node: Node,
  path: JsonPath,
  lookup: Lookup,
  fault: (fault: CanonicalFault) => void,
): void {
  const visit = (one: Node, where: JsonPath): void => {
    if (one.kind === 'object') {
      checkMembers(one, where, lookup, fault);
      for (const { name, node: child } of one.properties) visit(child, [...where, 'properties', name]);
      for (const { pattern, node: child } of one.patterns) visit(child, [...where, 'patternProperties', pattern]);
      if (typeof one.rest !== 'string') visit(one.rest, [...where, 'additionalProperties']);
    } else if (one.kind === 'array') {
      visit(one.items, [...where, 'items']);
    } else if (one.kind === 'tuple') {
      for (const [index, item] of one.items.entries()) visit(item, [...where, 'prefixItems', index]);
    } else if (one.kind === 'union') {
      for (const member of one.members) visit(member, where);
    }
  };
  visit(node, path);
}

/** TypeScript has one index signature for all names, so named members beside a map must fit the map's values. */
function checkMembers(node: ObjectNode, path: JsonPath, lookup: Lookup, fault: (fault: CanonicalFault) => void): void {
  const named = node.properties.map((property) => property.node);
  const maps: Node[] = typeof node.rest === 'string' ? [] : [node.rest];
  const patterns = node.patterns.filter(
    ({ pattern }) => literalPrefix(pattern) === undefined || node.rest !== 'closed',
  );
  for (const { pattern, node: value } of patterns) {
    const alone = node.patterns.length === 1 && node.rest === 'closed';
    if (alone && named.every((one) => fitsInto(one, value, lookup))) continue;
    fault({
      path: [...path, 'patternProperties', pattern],
      message: 'Names of this pattern beside other members have no exact type.',
      remedy: 'Use a pattern that is a fixed start, such as `^x-`, or put the map under a property of its own.',
    });
  }
  for (const { pattern, node: value } of node.patterns) {
    const prefix = literalPrefix(pattern);
    if (prefix === undefined || isPrintable(value)) continue;
    fault({
      path: [...path, 'patternProperties', pattern],
      message: 'The values of these names have no inline type.',
      remedy: 'Name their shape as a shared model.',
    });
  }
  for (const value of maps) {
    if (named.every((one) => fitsInto(one, value, lookup))) continue;
    fault({
      path: [...path, 'additionalProperties'],
      message: 'Named members of another type than the further ones have no exact type.',
      remedy: 'Put the map under a property of its own.',
    });
  }
}

/** Whether a member's type is one of the types the index signature has anyway. */
function fitsInto(node: Node, map: Node, lookup: Lookup): boolean {
  if (map.kind === 'any') return true;
  const allowed = new Set(alternatives(map, lookup, 0).map(shapeText));
  return alternatives(node, lookup, 0).every((one) => allowed.has(shapeText(one)));
}

function shapeText(node: Node): string {
  if (node.kind === 'scalar') return node.type === 'integer' ? 'number' : node.type;
  if (node.kind === 'literal') return canonicalText([...node.values]);
  return JSON.stringify(node);
}

/** Shapes that fit into a type expression without a declaration of their own. */
function isPrintable(node: Node): boolean {
  switch (node.kind) {
    case 'any':
    case 'never':
    case 'ref':
    case 'literal':
    case 'scalar':
      return true;
    case 'array':
      return isPrintable(node.items);
    case 'union':
      return node.members.every(isPrintable);
    case 'object':
    case 'tuple':
      return false;
  }
}
