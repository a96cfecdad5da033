import type { JsonSchema, JsonValue } from '../model/types.ts';
import { isObject, ownEntry, pointerStep, type JsonObject } from './json.ts';

/** One schema resource: a document root or a subschema with its own `$id`. */
export interface Resource {
  readonly uri: string;
  readonly root: JsonValue;
  readonly anchors: ReadonlyMap<string, Place>;
  readonly dynamicAnchors: ReadonlyMap<string, Place>;
}

/** A subschema, the resource it belongs to and its pointer from the document root (for messages). */
export interface Place {
  readonly schema: JsonValue;
  readonly uri: string;
  readonly path: string;
}

interface OpenResource extends Resource {
  readonly anchors: Map<string, Place>;
  readonly dynamicAnchors: Map<string, Place>;
}

/** Keywords whose value is one schema, a list of schemas, or a map of schemas. `$id` counts only there. */
const ONE = [
  'additionalProperties',
  'contains',
  'contentSchema',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
];
const LIST = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const MAP = ['$defs', 'definitions', 'dependentSchemas', 'patternProperties', 'properties'];

/** Everything one side of a question can refer to: its own document, and before that those it is given. */
export class Documents {
  readonly root: Place;
  readonly #resources: Map<string, OpenResource>;
  readonly #shared: Set<string>;

  constructor(schema: JsonSchema, base: string, shared?: Documents) {
    this.#resources = new Map(shared === undefined ? [] : shared.#resources);
    this.#shared = new Set(this.#resources.keys());
    this.#open(base, schema);
    this.root = this.#index({ schema, uri: base, path: '' });
  }

  /** The documents every schema may refer to by their own `$id`. */
  static shared(documents: readonly JsonObject[]): Documents {
    return new Documents({ $defs: Object.fromEntries(documents.entries()) }, 'https://schema.invalid/shared');
  }

  /** The outermost resource in scope that declares the dynamic anchor. */
  outermost(name: string, scope: readonly string[]): Place | undefined {
    for (const uri of scope) {
      const place = this.#resources.get(uri)?.dynamicAnchors.get(name);
      if (place !== undefined) return place;
    }
    return undefined;
  }

  isDynamic(uri: string): boolean {
    return (this.#resources.get(uri)?.dynamicAnchors.size ?? 0) > 0;
  }

  /** Whether the resource comes with the prover rather than with this schema. */
  isShared(uri: string): boolean {
    return this.#shared.has(uri);
  }

  /** Where a reference leads, or the sentence that says why it leads nowhere. Nothing is ever fetched. */
  resolve(reference: string, from: Place): { place: Place; dynamicAnchor?: string } | string {
    const target = join(from.uri, reference);
    if (target === undefined) return `${reference} is no usable reference`;
    const [address, fragment] = splitFragment(target);
    const resource = this.#resources.get(address);
    if (resource === undefined) return `no document ${address} is at hand`;
    const text = decode(fragment);
    if (text === undefined) return `#${fragment} is not a well-formed fragment`;
    if (text === '' || text.startsWith('/')) {
      const place = this.#walk(resource, text);
      return place === undefined ? `nothing stands at ${text}` : { place };
    }
    const dynamic = resource.dynamicAnchors.get(text);
    if (dynamic !== undefined) return { place: dynamic, dynamicAnchor: text };
    const place = resource.anchors.get(text);
    return place === undefined ? `there is no anchor ${text}` : { place };
  }

  #walk(resource: Resource, pointer: string): Place | undefined {
    let place: Place = { schema: resource.root, uri: resource.uri, path: '' };
    for (const raw of pointer.split('/').slice(1)) {
      const step = raw.replaceAll('~1', '/').replaceAll('~0', '~');
      const next = child(place.schema, step);
      if (next === undefined) return undefined;
      place = within({ schema: next, uri: place.uri, path: pointerStep(place.path, step) });
    }
    return place;
  }

  #index(place: Place): Place {
    const here = within(place);
    const { schema } = here;
    if (!isObject(schema)) return here;
    if (here.uri !== place.uri) this.#open(here.uri, schema);
    const resource = this.#resources.get(here.uri);
    const anchor = ownEntry(schema, '$anchor');
    if (typeof anchor === 'string') resource?.anchors.set(anchor, here);
    const dynamic = ownEntry(schema, '$dynamicAnchor');
    if (typeof dynamic === 'string') resource?.dynamicAnchors.set(dynamic, here);
    for (const inner of subschemas(here)) this.#index(inner);
    return here;
  }

  #open(uri: string, root: JsonValue): void {
    this.#shared.delete(uri);
    this.#resources.set(uri, { uri, root, anchors: new Map(), dynamicAnchors: new Map() });
  }
}

/** The place with the base its own `$id` sets. */
function within(place: Place): Place {
  if (!isObject(place.schema)) return place;
  const id = ownEntry(place.schema, '$id');
  if (typeof id !== 'string') return place;
  const joined = join(place.uri, id);
  return joined === undefined ? place : { ...place, uri: splitFragment(joined)[0] };
}

/** The subschema under a keyword (and a step inside it), with its base and pointer. */
export function below(place: Place, schema: JsonValue, ...steps: readonly (string | number)[]): Place {
  return within({ schema, uri: place.uri, path: steps.reduce<string>(pointerStep, place.path) });
}

function subschemas(place: Place): Place[] {
  const { schema } = place;
  if (!isObject(schema)) return [];
  const found: Place[] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    const step = pointerStep(place.path, keyword);
    if (ONE.includes(keyword)) found.push({ schema: value, uri: place.uri, path: step });
    else if ((LIST.includes(keyword) && Array.isArray(value)) || (MAP.includes(keyword) && isObject(value))) {
      for (const [key, inner] of Object.entries(value)) {
        found.push({ schema: inner, uri: place.uri, path: pointerStep(step, key) });
      }
    }
  }
  return found;
}

function child(value: JsonValue, step: string): JsonValue | undefined {
  if (isObject(value)) return ownEntry(value, step);
  return Array.isArray(value) && /^(0|[1-9]\d*)$/.test(step) ? value[Number(step)] : undefined;
}

function join(base: string, reference: string): string | undefined {
  if (reference.startsWith('#')) return `${splitFragment(base)[0]}${reference}`;
  try {
    return new URL(reference, base).href;
  } catch {
    return undefined;
  }
}

function splitFragment(uri: string): [string, string] {
  const at = uri.indexOf('#');
  return at < 0 ? [uri, ''] : [uri.slice(0, at), uri.slice(at + 1)];
}

function decode(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}
