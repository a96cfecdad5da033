import type { Form } from './form.ts';
import { isObject, ownEntry, type JsonObject } from './json.ts';
import type { SchemaReader, Site } from './reading.ts';
import { declaredNames, has, lacks, maps } from './structures.ts';

/**
 * What a schema marks as evaluated, by cases. Among the values a schema accepts the cases tell exactly which
 * applicators passed, so each accepted value has exactly the marks of the case it falls under.
 */
interface Case<M> {
  readonly when: Form;
  readonly marks: M;
}

interface Marks<M> {
  readonly none: M;
  readonly join: (a: M, b: M) => M;
  readonly key: (marks: M) => string;
  /** The marks this schema's own keywords set, applicators in place left aside. */
  readonly own: (site: Site, schema: JsonObject) => M;
}

interface ItemMarks {
  /** Items before this position are evaluated. */
  readonly prefix: number;
  /** Items that satisfy one of these are evaluated. */
  readonly matched: readonly Form[];
}

export interface NamesCase {
  readonly when: Form;
  readonly names: Form;
}

export interface ItemsCase extends ItemMarks {
  readonly when: Form;
}

/** The property names evaluated by everything beside `unevaluatedProperties` of this schema. */
export function namesEvaluated(compiler: SchemaReader, site: Site, schema: JsonObject): NamesCase[] {
  const { forge } = compiler;
  const marks: Marks<Form> = {
    none: forge.no,
    join: (a, b) => forge.or([a, b]),
    key: (names) => String(names.id),
    own: (_, inner) => {
      const whole = ['additionalProperties', ...(inner === schema ? [] : ['unevaluatedProperties'])];
      return whole.some((keyword) => Object.hasOwn(inner, keyword)) ? forge.yes : declaredNames(compiler, inner);
    },
  };
  return cases(compiler, marks, site, schema).map(({ when, marks: names }) => ({ when, names }));
}

/** The items evaluated by everything beside `unevaluatedItems` of this schema. */
export function itemsEvaluated(compiler: SchemaReader, site: Site, schema: JsonObject): ItemsCase[] {
  const marks: Marks<ItemMarks> = {
    none: { prefix: 0, matched: [] },
    join: (a, b) => ({ prefix: Math.max(a.prefix, b.prefix), matched: [...new Set([...a.matched, ...b.matched])] }),
    key: (m) =>
      `${m.prefix}:${m.matched
        .map((form) => form.id)
        .sort((a, b) => a - b)
        .join(',')}`,
    own: (at, inner) => {
      const whole = ['items', ...(inner === schema ? [] : ['unevaluatedItems'])];
      const prefix = ownEntry(inner, 'prefixItems');
      const contains = ownEntry(inner, 'contains');
      const length = Array.isArray(prefix) ? prefix.length : 0;
      return {
        prefix: whole.some((keyword) => Object.hasOwn(inner, keyword)) ? Infinity : length,
        matched: contains === undefined ? [] : [compiler.form(compiler.sub(at, contains, 'contains'))],
      };
    },
  };
  return cases(compiler, marks, site, schema).map(({ when, marks: found }) => ({ when, ...found }));
}

function cases<M>(compiler: SchemaReader, marks: Marks<M>, site: Site, schema: JsonObject): Case<M>[] {
  const { forge } = compiler;
  const always = (m: M): Case<M>[] => [{ when: forge.yes, marks: m }];
  const at = (inner: Site): Case<M>[] => {
    const value = inner.place.schema;
    if (!isObject(value)) return always(marks.none);
    return compiler.once(inner, () => cases(compiler, marks, inner, value));
  };
  const silent = (found: readonly Case<M>[]): boolean =>
    found.every((item) => marks.key(item.marks) === marks.key(marks.none));
  /** Marks count only where the member accepts the value. */
  const perhaps = (inner: Site): Case<M>[] => {
    const found = at(inner);
    if (silent(found)) return always(marks.none);
    const form = compiler.form(inner);
    return [
      ...found.map((item) => ({ when: forge.and([form, item.when]), marks: item.marks })),
      { when: forge.not(form), marks: marks.none },
    ];
  };
  const factors: Case<M>[][] = [always(marks.own(site, schema)), ...compiler.references(site, schema).map(at)];
  const list = (keyword: string): Site[] => {
    const value = ownEntry(schema, keyword);
    return Array.isArray(value) ? value.map((item, index) => compiler.sub(site, item, keyword, index)) : [];
  };
  factors.push(...list('allOf').map(at), ...[...list('anyOf'), ...list('oneOf')].map(perhaps));
  const condition = ownEntry(schema, 'if');
  if (condition !== undefined) factors.push(branches(condition));
  for (const [name, value] of maps(schema, 'dependentSchemas')) {
    const found = at(compiler.sub(site, value, 'dependentSchemas', name));
    if (silent(found)) continue;
    const present = has(compiler, name);
    const absent: Case<M> = { when: forge.given('object', lacks(compiler, name)), marks: marks.none };
    factors.push([...found.map((item) => ({ when: forge.and([present, item.when]), marks: item.marks })), absent]);
  }
  return factors.reduce((all, factor) => product(all, factor));

  function branches(value: JsonObject[string]): Case<M>[] {
    const test = compiler.sub(site, value, 'if');
    const form = compiler.form(test);
    const arm = (keyword: string): Case<M>[] => {
      const inner = ownEntry(schema, keyword);
      return inner === undefined ? always(marks.none) : at(compiler.sub(site, inner, keyword));
    };
    const guard = (found: Case<M>[], when: Form): Case<M>[] =>
      found.map((item) => ({ when: forge.and([when, item.when]), marks: item.marks }));
    return [...guard(product(at(test), arm('then')), form), ...guard(arm('else'), forge.not(form))];
  }

  function product(left: readonly Case<M>[], right: readonly Case<M>[]): Case<M>[] {
    const merged = new Map<string, Case<M>>();
    for (const a of left) {
      for (const b of right) {
        const joined = marks.join(a.marks, b.marks);
        const when = forge.and([a.when, b.when]);
        const key = marks.key(joined);
        const known = merged.get(key);
        merged.set(key, { marks: joined, when: known === undefined ? when : forge.or([known.when, when]) });
      }
    }
    return [...merged.values()].filter((item) => item.when.kind !== 'false');
  }
}
