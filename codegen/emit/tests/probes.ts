/** Values just inside and just outside every bound of a tool's arguments. */
import { isJsonObject } from '../../canonical/json.ts';
import { isNull } from '../../canonical/node.ts';
import type { ArrayNode, Lookup, Node, Property, ScalarNode } from '../../canonical/node.ts';
import type { JsonValue } from '../../model/types.ts';
import { sample } from './sample.ts';

/** What to put at a place: a value, a text of some length, or a list of some length. */
export type Filling =
  { readonly value: JsonValue } | { readonly letters: number } | { readonly items: number; readonly of: JsonValue };

export interface Probe {
  readonly at: readonly string[];
  readonly says: string;
  readonly put: Filling;
  readonly fits: boolean;
}

/** Lists longer than this are not built twice over just to see them accepted. */
const LONGEST_LIST = 2000;

export function boundProbes(root: Node, lookup: Lookup): readonly Probe[] {
  const node = opened(root, lookup);
  if (node.kind !== 'object') return [];
  return node.properties.flatMap((property) => [
    ...memberProbes(property, [], lookup),
    ...nestedProbes(property, lookup),
  ]);
}

function nestedProbes({ name, node }: Property, lookup: Lookup): readonly Probe[] {
  const inner = opened(node, lookup);
  if (inner.kind !== 'object' || !isJsonObject(sample(inner, 'least', lookup))) return [];
  return inner.properties.flatMap((property) => memberProbes(property, [name], lookup));
}

/** What a nested probe puts its value into when the example has nothing there. */
export function parentsOf(root: Node, lookup: Lookup): { readonly [name: string]: JsonValue } {
  const node = opened(root, lookup);
  if (node.kind !== 'object') return {};
  return Object.fromEntries(
    node.properties.flatMap(({ name, node: child }) => {
      const value = opened(child, lookup).kind === 'object' ? sample(child, 'least', lookup) : undefined;
      return isJsonObject(value) ? [[name, value]] : [];
    }),
  );
}

function memberProbes({ name, node }: Property, parents: readonly string[], lookup: Lookup): readonly Probe[] {
  const at = [...parents, name];
  const inner = opened(node, lookup);
  const place = at.join('.');
  if (inner.kind === 'scalar') return scalarProbes(inner, at, place);
  if (inner.kind === 'array') return listProbes(inner, at, place, lookup);
  if (inner.kind === 'literal')
    return [{ at, says: `${place} of an unknown word`, put: { value: 'no such word' }, fits: false }];
  return [];
}

function scalarProbes({ type, limits }: ScalarNode, at: readonly string[], place: string): readonly Probe[] {
  if (type === 'string') {
    const free = limits.pattern === undefined && limits.format === undefined;
    const { minLength, maxLength } = limits;
    const letters = (count: number, fits: boolean): Probe => ({
      at,
      says: `${place} of ${count} letters`,
      put: { letters: count },
      fits,
    });
    return [
      ...(maxLength === undefined ? [] : [...(free ? [letters(maxLength, true)] : []), letters(maxLength + 1, false)]),
      ...(minLength === undefined || minLength === 0
        ? []
        : [...(free ? [letters(minLength, true)] : []), letters(minLength - 1, false)]),
    ];
  }
  if (type !== 'integer' && type !== 'number') return [];
  const number = (value: number, fits: boolean): Probe => ({ at, says: `${place} of ${value}`, put: { value }, fits });
  const { minimum, maximum, multipleOf } = limits;
  if (multipleOf !== undefined) return [];
  return [
    ...(maximum === undefined
      ? []
      : [number(maximum, true), ...(Number.isSafeInteger(maximum + 1) ? [number(maximum + 1, false)] : [])]),
    ...(minimum === undefined
      ? []
      : [number(minimum, true), ...(Number.isSafeInteger(minimum - 1) ? [number(minimum - 1, false)] : [])]),
  ];
}

function listProbes(
  { items, limits }: ArrayNode,
  at: readonly string[],
  place: string,
  lookup: Lookup,
): readonly Probe[] {
  const of = sample(items, 'least', lookup);
  if (of === undefined) return [];
  const list = (count: number, fits: boolean): Probe => ({
    at,
    says: `${place} of ${count} items`,
    put: { items: count, of },
    fits,
  });
  const { minItems, maxItems, uniqueItems } = limits;
  const repeats = uniqueItems !== true;
  return [
    ...(maxItems === undefined
      ? []
      : [...(repeats && maxItems <= LONGEST_LIST ? [list(maxItems, true)] : []), list(maxItems + 1, false)]),
    ...(minItems === undefined || minItems === 0
      ? []
      : [...(repeats || minItems < 2 ? [list(minItems, true)] : []), list(minItems - 1, false)]),
  ];
}

/** The shape behind references and nullability. */
export function opened(node: Node, lookup: Lookup): Node {
  if (node.kind === 'ref') {
    const target = lookup(node.name);
    return target === undefined ? node : opened(target, lookup);
  }
  if (node.kind !== 'union') return node;
  const shown = node.members.filter((member) => !isNull(member));
  const [only] = shown;
  return shown.length === 1 && only !== undefined ? opened(only, lookup) : node;
}
