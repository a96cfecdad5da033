/**
 * The sizes that arguments are measured against before the schema looks at them. A validator that collects every
 * fault must not be handed a million faulty values, nor a pattern a text that is a thousand times too long.
 */
import { objectOf } from '../../canonical/json.ts';
import type { JsonObject } from '../../canonical/json.ts';
import type { Node } from '../../canonical/node.ts';
import type { JsonValue } from '../../model/types.ts';

/** Unknown members that are named one by one before the object is refused as a whole. */
const SPARE_MEMBERS = 32;

/**
 * `l` longest text, `n` most items, `i` items, `t` positions, `k` most members, `p` named members, `r` other members,
 * `f` a shared shape by name. What is absent is not measured.
 */
export function boundsView(node: Node): JsonObject {
  switch (node.kind) {
    case 'ref':
      return { f: node.name };
    case 'scalar':
      return node.type === 'string' && node.limits.maxLength !== undefined ? { l: node.limits.maxLength } : {};
    case 'array':
      return { ...most(node.limits.maxItems), i: boundsView(node.items) };
    case 'tuple':
      return {
        ...most(node.rest === 'closed' ? node.items.length : node.limits.maxItems),
        t: node.items.map(boundsView),
        ...(node.rest === 'closed' ? {} : { i: boundsView(node.rest) }),
      };
    case 'object': {
      const known = node.properties.length;
      const rest = typeof node.rest === 'string' ? {} : { r: boundsView(node.rest) };
      const limit =
        node.rest === 'closed' && node.patterns.length === 0 ? known + SPARE_MEMBERS : node.limits.maxProperties;
      return {
        ...(limit === undefined ? {} : { k: limit }),
        p: objectOf(node.properties.map(({ name, node: child }) => [name, boundsView(child)])),
        ...rest,
      };
    }
    case 'union':
      return node.members.map(boundsView).reduce(widest);
    case 'any':
    case 'never':
    case 'literal':
      return {};
  }
}

const most = (limit: number | undefined): JsonObject => (limit === undefined ? {} : { n: limit });

/** Sizes that hold for either branch. A branch without a text, list or object says nothing about them. */
function widest(left: JsonObject, right: JsonObject): JsonObject {
  if ('f' in left || 'f' in right)
    return Object.keys(left).length === 0 ? right : Object.keys(right).length === 0 ? left : {};
  const merged = new Map<string, JsonValue>();
  for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
    const [one, two] = [left[key], right[key]];
    if (one === undefined || two === undefined) merged.set(key, one ?? two ?? null);
    else if (typeof one === 'number' && typeof two === 'number') merged.set(key, Math.max(one, two));
    else if (key === 'p') merged.set(key, { ...Object(one), ...Object(two) });
  }
  return objectOf(merged);
}
