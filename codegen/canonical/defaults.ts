/** Where a default can be filled in, and where it would silently be ignored. */
import type { JsonPath } from '../model/types.ts';
import type { CanonicalFault, Lookup, Node } from './node.ts';
import { isNull } from './node.ts';

/** Whether filling defaults changes a value of this shape, references included. */
export function hasDefaults(node: Node, lookup: Lookup, seen: ReadonlySet<string> = new Set()): boolean {
  switch (node.kind) {
    case 'ref': {
      const target = seen.has(node.name) ? undefined : lookup(node.name);
      return target !== undefined && hasDefaults(target, lookup, new Set([...seen, node.name]));
    }
    case 'object':
      return (
        node.properties.some(
          (property) => property.node.notes.default !== undefined || hasDefaults(property.node, lookup, seen),
        ) ||
        node.patterns.some((pattern) => hasDefaults(pattern.node, lookup, seen)) ||
        (typeof node.rest !== 'string' && hasDefaults(node.rest, lookup, seen))
      );
    case 'array':
      return hasDefaults(node.items, lookup, seen);
    case 'tuple':
      return (
        node.items.some((item) => hasDefaults(item, lookup, seen)) ||
        (node.rest !== 'closed' && hasDefaults(node.rest, lookup, seen))
      );
    case 'union':
      return node.members.some((one) => hasDefaults(one, lookup, seen));
    case 'any':
    case 'never':
    case 'literal':
    case 'scalar':
      return false;
  }
}

/** A default belongs on a property that is looked at unconditionally; anything else is refused rather than ignored. */
export function refuseLostDefaults(
  node: Node,
  path: JsonPath,
  lookup: Lookup,
  fault: (fault: CanonicalFault) => void,
): void {
  const lost = (where: JsonPath): void => {
    fault({
      path: where,
      message: 'This default would never be filled in.',
      remedy: 'Put it on a property outside any `anyOf` or `oneOf`, or remove it.',
    });
  };
  const bare = (child: Node, where: JsonPath): void => {
    if (child.notes.default !== undefined) lost(where);
    visit(child, where);
  };
  const visit = (one: Node, where: JsonPath): void => {
    if (one.kind === 'object') {
      for (const property of one.properties) visit(property.node, [...where, 'properties', property.name]);
      for (const { pattern, node: child } of one.patterns) bare(child, [...where, 'patternProperties', pattern]);
      if (typeof one.rest !== 'string') bare(one.rest, [...where, 'additionalProperties']);
    } else if (one.kind === 'array') {
      bare(one.items, [...where, 'items']);
    } else if (one.kind === 'tuple') {
      for (const [index, item] of one.items.entries()) bare(item, [...where, 'prefixItems', index]);
      if (one.rest !== 'closed') bare(one.rest, [...where, 'items']);
    } else if (one.kind === 'union') {
      const shapes = one.members.filter((each) => !isNull(each));
      const nullableObject = shapes.length === 1 && shapes[0]?.kind === 'object' ? shapes[0] : undefined;
      if (nullableObject !== undefined) visit(nullableObject, where);
      else if (one.members.some((each) => each.notes.default !== undefined || hasDefaults(each, lookup))) lost(where);
    }
  };
  visit(node, path);
}
