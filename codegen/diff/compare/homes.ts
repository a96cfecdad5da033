import { isJsonArray, isJsonObject } from '../../canonical/json.ts';
import type { JsonSchema, JsonValue } from '../../model/types.ts';
import type { Surface } from '../surface/types.ts';

export interface Home {
  readonly entity: string;
  readonly path: string;
}

interface Place extends Home {
  readonly node: JsonValue;
}

/** The contract that owns the place a pointer leads to, where references are followed on the way. */
export function homeOf(
  schema: JsonSchema,
  pointer: string,
  start: Home,
  definitions: Surface['definitions'],
): Home | undefined {
  const steps = pointer === '' ? [] : pointer.slice(1).split('/');
  let place: Place | undefined = follow({ ...start, node: schema }, definitions);
  for (const [at, raw] of steps.entries()) {
    if (place === undefined) return undefined;
    // The last step names what changed, which may be a keyword or member that is not there on this side.
    const next: Place | undefined = step(place, raw, definitions);
    if (next === undefined) {
      const rest = steps.slice(at).join('/');
      return at >= steps.length - 2 ? { entity: place.entity, path: `${place.path}/${rest}` } : undefined;
    }
    place = at === steps.length - 1 ? next : follow(next, definitions);
  }
  return place === undefined ? undefined : { entity: place.entity, path: place.path };
}

function step(place: Place, raw: string, definitions: Surface['definitions']): Place | undefined {
  const name = raw.replaceAll('~1', '/').replaceAll('~0', '~');
  const { node } = place;
  if (isJsonArray(node)) {
    const item = node[Number(name)];
    return item === undefined ? undefined : { ...place, path: `${place.path}/${raw}`, node: item };
  }
  if (!isJsonObject(node)) return undefined;
  const inner = Object.hasOwn(node, name) ? node[name] : undefined;
  if (inner !== undefined) return { ...place, path: `${place.path}/${raw}`, node: inner };
  const members = node['allOf'];
  for (const [at, member] of (isJsonArray(members) ? members : []).entries()) {
    const found = step(
      follow({ ...place, path: `${place.path}/allOf/${at}`, node: member }, definitions),
      raw,
      definitions,
    );
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A bare reference leads to the contract of the shape it names. */
function follow(place: Place, definitions: Surface['definitions'], depth = 0): Place {
  const { node } = place;
  if (!isJsonObject(node) || depth > 16) return place;
  const reference = node['$ref'];
  if (typeof reference !== 'string') return place;
  const name = reference.replace(/^#\/\$defs\//u, '');
  const target = Object.hasOwn(definitions, name) ? definitions[name] : undefined;
  if (target === undefined) return place;
  return follow({ entity: target.entity, path: target.path, node: target.schema }, definitions, depth + 1);
}
