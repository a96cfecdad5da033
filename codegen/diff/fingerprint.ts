import { createHash } from 'node:crypto';
import { canonicalText, isJsonArray, isJsonObject } from '../canonical/json.ts';
import type { JsonValue } from '../model/types.ts';
import type { Draft } from './scene.ts';

const PROSE = new Set(['title', 'description', 'examples', '$comment']);
/** Members of these are names, so one of them may well be called `title`. */
const NAMED = new Set(['properties', 'patternProperties', '$defs', 'dependentSchemas']);
const SETS = new Set(['required', 'enum', 'type']);

/** The value without prose, with sets in order: what two wordings of one change have in common. */
function withoutProse(value: JsonValue, named = false): JsonValue {
  if (isJsonArray(value)) return value.map((one) => withoutProse(one));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => named || !PROSE.has(key))
      .map(([key, inner]) => {
        const plain = withoutProse(inner, !named && NAMED.has(key));
        const set = !named && SETS.has(key) && isJsonArray(plain);
        return [key, set ? plain.map((one) => canonicalText(one)).sort() : plain];
      }),
  );
}

/** Names one change of one entity, whatever words report it. */
export function fingerprintOf({ rule, entity, path, before, after, unknown }: Draft): string {
  const ends = [before, after].map((end) => (end === undefined ? null : withoutProse(end)));
  const stop = unknown === undefined ? null : [unknown.keyword, unknown.path];
  const text = canonicalText([rule, entity, path ?? '', ends, stop]);
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
