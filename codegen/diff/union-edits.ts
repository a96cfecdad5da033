import { canonical, isObject, ownEntry, type JsonObject } from '../contain/json.ts';
import type { JsonValue } from '../model/types.ts';
import { array, record, type Descent, type Edit } from './edits.ts';

interface Unions {
  readonly before: JsonObject;
  readonly after: JsonObject;
  /** Follows references and drops prose. */
  readonly read: (schema: JsonValue) => JsonObject;
}

const STEMS = { allOf: 'all-of', anyOf: 'any-of', oneOf: 'one-of' } as const;
type Keyword = keyof typeof STEMS;
const KEYWORDS: readonly Keyword[] = ['allOf', 'anyOf', 'oneOf'];

interface Pairing {
  readonly pairs: readonly (readonly [before: number, after: number])[];
  readonly lost: readonly number[];
  readonly gained: readonly number[];
}

export function unionEdits(unions: Unions): Edit[] {
  const { before, after } = unions;
  const found: Edit[] = [];
  for (const [from, to, change] of [
    ['oneOf', 'anyOf', 'one-of-to-any-of'],
    ['anyOf', 'oneOf', 'any-of-to-one-of'],
  ] as const) {
    if (!Object.hasOwn(before, from) || Object.hasOwn(after, from) || !Object.hasOwn(after, to)) continue;
    const { [from]: members = [], ...rest } = before;
    found.push({ change, path: '', result: { ...rest, [to]: members } });
  }
  const unionNow = KEYWORDS.find((keyword) => keyword !== 'allOf' && Object.hasOwn(after, keyword));
  const unionThen = KEYWORDS.some((keyword) => keyword !== 'allOf' && Object.hasOwn(before, keyword));
  if (unionNow !== undefined && !unionThen) {
    found.push({ change: 'wrapped-in-union', path: '', result: after });
    return found;
  }
  return [...found, ...KEYWORDS.flatMap((keyword) => memberEdits(unions, keyword))];
}

export function unionDescents(unions: Unions): Descent[] {
  const { before, after } = unions;
  return KEYWORDS.flatMap((keyword) => {
    const [was, is] = [array(before, keyword), array(after, keyword)];
    return pair(was, is, unions).pairs.map(([left, right]): Descent => ({
      path: `/${keyword}/${left}`,
      before: was[left] ?? true,
      after: is[right] ?? true,
      place: (schema) => ({ ...before, [keyword]: was.map((member, at) => (at === left ? schema : member)) }),
    }));
  });
}

function memberEdits(unions: Unions, keyword: Keyword): Edit[] {
  const { before, after } = unions;
  const [was, is] = [array(before, keyword), array(after, keyword)];
  if (keyword !== 'allOf' && (was.length === 0 || is.length === 0)) return [];
  const { lost, gained } = pair(was, is, unions);
  const { [keyword]: _, ...rest } = before;
  const withMembers = (members: readonly JsonValue[]): JsonObject =>
    members.length === 0 ? rest : { ...rest, [keyword]: members };
  return [
    ...lost.map((at) => ({
      change: `${STEMS[keyword]}-member-removed`,
      path: `/${keyword}/${at}`,
      result: withMembers(was.filter((_, index) => index !== at)),
    })),
    ...gained.map((at) => ({
      change: `${STEMS[keyword]}-member-added`,
      path: `/${keyword}/${at}`,
      result: withMembers([...was, is[at] ?? true]),
    })),
  ];
}

/** Members that are equal, or share a tag or a type, are the same member; the rest came or went. */
function pair(was: readonly JsonValue[], is: readonly JsonValue[], { read }: Unions): Pairing {
  const old = was.map((member) => read(member));
  const fresh = is.map((member) => read(member));
  const free = new Set(fresh.keys());
  const partner = new Map<number, number>();
  for (const key of [canonical, tag, kind]) {
    for (const [at, node] of old.entries()) {
      if (partner.has(at)) continue;
      const mine = key(node);
      const match = [...free].find((other) => mine !== '' && key(fresh[other] ?? {}) === mine);
      if (match === undefined) continue;
      partner.set(at, match);
      free.delete(match);
    }
  }
  return {
    pairs: [...partner],
    lost: [...old.keys()].filter((at) => !partner.has(at)),
    gained: [...free],
  };
}

/** The constants a member demands of its required properties: what tells the members of a tagged union apart. */
function tag(node: JsonObject): string {
  const required = array(node, 'required');
  return Object.entries(record(node, 'properties'))
    .filter(([name]) => required.includes(name))
    .flatMap(([name, inner]) => {
      const only = isObject(inner) ? ownEntry(inner, 'const') : undefined;
      return only === undefined ? [] : [`${name}=${canonical(only)}`];
    })
    .sort()
    .join('&');
}

function kind(node: JsonObject): string {
  return canonical(ownEntry(node, 'type') ?? '');
}
