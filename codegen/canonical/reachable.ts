import type { Node } from './node.ts';

/** Names of the shapes the node refers to, and those they refer to. */
export function reachable(
  node: Node,
  lookup: (name: string) => Node | undefined,
  found: Map<string, Node> = new Map(),
): ReadonlyMap<string, Node> {
  const visit = (one: Node): void => {
    if (one.kind === 'ref') {
      const target = lookup(one.name);
      if (target === undefined || found.has(one.name)) return;
      found.set(one.name, target);
      visit(target);
    } else if (one.kind === 'object') {
      for (const { node: child } of [...one.properties, ...one.patterns]) visit(child);
      if (typeof one.rest !== 'string') visit(one.rest);
    } else if (one.kind === 'array') {
      visit(one.items);
      if (one.contains !== undefined) visit(one.contains.node);
    } else if (one.kind === 'tuple') {
      for (const item of one.items) visit(item);
      if (one.rest !== 'closed') visit(one.rest);
    } else if (one.kind === 'union') {
      for (const child of one.members) visit(child);
    }
  };
  visit(node);
  return found;
}
