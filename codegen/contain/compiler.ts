import type { JsonValue } from '../model/types.ts';
import { plainAssertions } from './assertions.ts';
import { below, type Documents, type Place } from './documents.ts';
import { itemsEvaluated, namesEvaluated } from './evaluated.ts';
import type { Form } from './form.ts';
import type { Forge } from './forge.ts';
import { isObject, ownEntry, type JsonObject } from './json.ts';
import type { SchemaReader, Site } from './reading.ts';
import { arrayAssertions, objectAssertions } from './structures.ts';
import { Undecided } from './stop.ts';

export type FormatMode = 'annotation' | 'assert';

/** Where the first use of a pattern, format or applicator stands, for the sentence that explains UNKNOWN. */
export type Sightings = Map<string, string>;

export interface CompilerOptions {
  readonly formats: FormatMode;
  /** Keeps the references of the two schemas of a question apart. */
  readonly side: string;
  /** Shared by both sides, so that a schema both refer to (a meta-schema) is one schema. */
  readonly identities: Map<object, number>;
}

/** Reads schemas into forms. A schema met again inside itself becomes a reference, unfolded on demand. */
export class Compiler implements SchemaReader {
  readonly forge: Forge;
  readonly sightings: Sightings = new Map();
  readonly #documents: Documents;
  readonly #formats: FormatMode;
  readonly #side: string;
  readonly #bodies = new Map<string, Form>();
  readonly #open = new Set<string>();
  readonly #identities: Map<object, number>;

  constructor(forge: Forge, documents: Documents, options: CompilerOptions) {
    this.forge = forge;
    this.#documents = documents;
    this.#formats = options.formats;
    this.#side = options.side;
    this.#identities = options.identities;
  }

  root(): Form {
    return this.form(this.#enter(this.#documents.root, []));
  }

  /** The body of a recursive schema this compiler has made a reference to. */
  unfold(target: string): Form | undefined {
    return this.#bodies.get(target);
  }

  form(site: Site): Form {
    const { schema } = site.place;
    if (schema === true) return this.forge.yes;
    if (!isObject(schema)) return this.forge.no;
    const key = this.#key(site, schema);
    const known = this.#bodies.get(key);
    if (known !== undefined) return known;
    if (this.#open.has(key)) return this.forge.ref(key);
    this.#open.add(key);
    const form = this.#read(site, schema);
    this.#open.delete(key);
    this.#bodies.set(key, form);
    return form;
  }

  sub(site: Site, schema: JsonValue, ...steps: readonly (string | number)[]): Site {
    return this.#enter(below(site.place, schema, ...steps), site.scope);
  }

  references(site: Site, schema: JsonObject): Site[] {
    return ['$ref', '$dynamicRef'].flatMap((keyword) => {
      const target = this.#follow(site, schema, keyword);
      return target === undefined || typeof target === 'string' ? [] : [target];
    });
  }

  /** A claim nobody can read stands in for each reference that cannot be followed. */
  #dangling(site: Site, schema: JsonObject): Form[] {
    return ['$ref', '$dynamicRef'].flatMap((keyword) => {
      const target = this.#follow(site, schema, keyword);
      return typeof target === 'string' ? [this.#opaque(site, schema, keyword, target)] : [];
    });
  }

  #follow(site: Site, schema: JsonObject, keyword: string): Site | string | undefined {
    const reference = ownEntry(schema, keyword);
    if (typeof reference !== 'string') return undefined;
    const found = this.#documents.resolve(reference, site.place);
    if (typeof found === 'string') return found;
    const dynamic = keyword === '$dynamicRef' ? found.dynamicAnchor : undefined;
    // An answer nobody could check is none: outside the meta-schemas the validators leave the standard here.
    if (dynamic !== undefined && !this.#documents.isShared(site.place.uri)) {
      return 'validators do not follow dynamic anchors as the standard says';
    }
    const outer = dynamic === undefined ? undefined : this.#documents.outermost(dynamic, site.scope);
    return this.#enter(outer ?? found.place, site.scope);
  }

  #opaque(site: Site, schema: JsonObject, keyword: string, reason: string): Form {
    const identity = this.#key(site, schema);
    return this.forge.opaque({ keyword, path: `${site.place.path}/${keyword}`, reason, identity });
  }

  #read(site: Site, schema: JsonObject): Form {
    const { forge } = this;
    for (const keyword of Object.keys(schema)) this.see(keyword, site, keyword);
    const parts = [
      ...plainAssertions(forge, schema),
      ...this.#strings(site, schema),
      ...this.references(site, schema).map((target) => this.form(target)),
      ...this.#dangling(site, schema),
      ...this.#logic(site, schema),
      ...objectAssertions(this, site, schema),
      ...arrayAssertions(this, site, schema),
      ...this.#unevaluated(site, schema),
      ...this.#disputed(site, schema),
    ];
    return forge.and(parts);
  }

  #strings(site: Site, schema: JsonObject): Form[] {
    const parts: Form[] = [];
    const pattern = ownEntry(schema, 'pattern');
    if (typeof pattern === 'string') {
      this.see(`pattern:${pattern}`, site, 'pattern');
      parts.push(this.forge.given('string', this.forge.pattern(pattern)));
    }
    const format = ownEntry(schema, 'format');
    if (typeof format === 'string' && this.#formats === 'assert') {
      this.see(`format:${format}`, site, 'format');
      parts.push(this.forge.given('string', this.forge.format(format)));
    }
    return parts;
  }

  #logic(site: Site, schema: JsonObject): Form[] {
    const { forge } = this;
    const members = (keyword: string): Form[] => {
      const value = ownEntry(schema, keyword);
      return Array.isArray(value) ? value.map((item, at) => this.form(this.sub(site, item, keyword, at))) : [];
    };
    const one = (keyword: string): Form | undefined => {
      const value = ownEntry(schema, keyword);
      return value === undefined ? undefined : this.form(this.sub(site, value, keyword));
    };
    const parts = members('allOf');
    if (Array.isArray(ownEntry(schema, 'anyOf'))) parts.push(forge.or(members('anyOf')));
    if (Array.isArray(ownEntry(schema, 'oneOf'))) parts.push(exactlyOne(forge, members('oneOf')));
    const not = one('not');
    if (not !== undefined) parts.push(forge.not(not));
    const condition = one('if');
    if (condition !== undefined) {
      parts.push(
        forge.or([forge.not(condition), one('then') ?? forge.yes]),
        forge.or([condition, one('else') ?? forge.yes]),
      );
    }
    return parts;
  }

  #unevaluated(site: Site, schema: JsonObject): Form[] {
    const { forge } = this;
    const parts: Form[] = [];
    const properties = ownEntry(schema, 'unevaluatedProperties');
    if (properties !== undefined) {
      const form = this.form(this.sub(site, properties, 'unevaluatedProperties'));
      const cases = namesEvaluated(this, site, schema);
      const allowed = cases.map(({ when, names }) => forge.and([when, forge.each(forge.not(names), form)]));
      parts.push(forge.given('object', forge.or(allowed)));
    }
    const items = ownEntry(schema, 'unevaluatedItems');
    if (items !== undefined) {
      const form = this.form(this.sub(site, items, 'unevaluatedItems'));
      const cases = itemsEvaluated(this, site, schema);
      const allowed = cases.map(({ when, prefix, matched }) =>
        forge.and([when, forge.every({ from: prefix, to: Infinity }, forge.or([...matched, form]))]),
      );
      parts.push(forge.given('array', forge.or(allowed)));
    }
    return parts;
  }

  /** Keywords outside 2020-12 that common validators nevertheless enforce: nothing can be claimed about them. */
  #disputed(site: Site, schema: JsonObject): Form[] {
    const found: Form[] = [];
    for (const keyword of ['dependencies', 'nullable', '$recursiveRef']) {
      const value = ownEntry(schema, keyword);
      if (value === undefined || value === false) continue;
      const reason = 'the keyword is not part of 2020-12, yet some validators enforce it';
      found.push(this.#opaque(site, schema, keyword, reason));
    }
    return found;
  }

  see(key: string, site: Site, keyword: string): void {
    if (!this.sightings.has(key)) this.sightings.set(key, `${site.place.path}/${keyword}`);
  }

  once<T>(site: Site, work: () => T): T {
    const { schema } = site.place;
    if (!isObject(schema)) return work();
    const key = `evaluated:${this.#key(site, schema)}`;
    if (this.#open.has(key)) {
      throw new Undecided({ keyword: '$ref', path: site.place.path, reason: 'the schema refers to itself in place' });
    }
    this.#open.add(key);
    try {
      return work();
    } finally {
      this.#open.delete(key);
    }
  }

  #key(site: Site, schema: JsonObject): string {
    const known = this.#identities.get(schema) ?? this.#identities.size;
    this.#identities.set(schema, known);
    const own = [site.place.uri, ...site.scope].some((uri) => !this.#documents.isShared(uri));
    return `${own ? this.#side : 'shared'}:${known}:${site.place.uri}:${site.scope.join(' ')}`;
  }

  /** Only resources with dynamic anchors can change what a reference means, so only they are kept in scope. */
  #enter(place: Place, scope: readonly string[]): Site {
    const matters = this.#documents.isDynamic(place.uri) && !scope.includes(place.uri);
    return { place, scope: matters ? [...scope, place.uri] : scope };
  }
}

function exactlyOne(forge: Forge, members: readonly Form[]): Form {
  return forge.or(
    members.map((member, at) =>
      forge.and([member, ...members.filter((_, other) => other !== at).map((form) => forge.not(form))]),
    ),
  );
}
