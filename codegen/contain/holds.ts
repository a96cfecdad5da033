import type { JsonValue } from '../model/types.ts';
import { formatTest } from './formats.ts';
import type { Atom, Form } from './form.ts';
import { canonical, codePoints, isObject, TYPE_BITS, typeOf } from './json.ts';
import { compare, isMultiple, rational } from './rational.ts';
import { Undecided } from './stop.ts';

/** What the evaluator needs from outside: bodies of recursive schemas and where a keyword was seen. */
export interface Lookup {
  unfold(target: string): Form;
  siteOf(key: string): string;
}

/**
 * Whether a form holds for one concrete value; undefined where a claim cannot be read. This is the reference
 * meaning of forms: every witness passes it before any validator sees it.
 */
export function holds(form: Form, value: JsonValue, lookup: Lookup, depth = 0): boolean | undefined {
  if (depth > 400) return undefined;
  switch (form.kind) {
    case 'true':
      return true;
    case 'false':
      return false;
    case 'and':
      return every(form.parts, (part) => holds(part, value, lookup, depth + 1));
    case 'or':
      return negate(every(form.parts, (part) => negate(holds(part, value, lookup, depth + 1))));
    case 'ref': {
      const inner = holds(lookup.unfold(form.target), value, lookup, depth + 1);
      return form.positive ? inner : negate(inner);
    }
    case 'type':
      return (form.mask & TYPE_BITS[typeOf(value)]) !== 0;
    case 'values':
    case 'range':
    case 'multiple':
    case 'size':
    case 'pattern':
    case 'format':
    case 'count':
    case 'unique':
    case 'some':
    case 'opaque':
      return atomHolds(form, value, lookup, depth + 1);
  }
}

function atomHolds(form: Atom, value: JsonValue, lookup: Lookup, depth: number): boolean | undefined {
  switch (form.kind) {
    case 'values':
      return form.keys.has(canonical(value)) === form.positive;
    case 'range': {
      if (typeof value !== 'number') return false;
      const order = compare(rational(value), form.bound) * (form.side === 'min' ? 1 : -1);
      return form.open ? order > 0 : order >= 0;
    }
    case 'multiple':
      return typeof value === 'number' && isMultiple(rational(value), form.of) === form.positive;
    case 'size': {
      const size = sizeOf(value, form.of);
      return size !== undefined && size >= form.min && size <= form.max;
    }
    case 'pattern':
      return typeof value === 'string' && expression(form.source, lookup).test(value) === form.positive;
    case 'format': {
      if (typeof value !== 'string') return false;
      const test = formatTest(form.name);
      return test === undefined ? undefined : test(value) === form.positive;
    }
    case 'unique': {
      if (!Array.isArray(value)) return false;
      const keys = value.map((item: JsonValue) => canonical(item));
      return (new Set(keys).size === keys.length) === form.positive;
    }
    case 'count': {
      if (!Array.isArray(value)) return false;
      const marks = value.slice(form.from, form.to).map((item: JsonValue) => holds(form.form, item, lookup, depth));
      const sure = marks.filter((mark) => mark === true).length;
      const possible = sure + marks.filter((mark) => mark === undefined).length;
      if (possible < form.min || sure > form.max) return false;
      return sure >= form.min && possible <= form.max ? true : undefined;
    }
    case 'some': {
      if (!isObject(value)) return false;
      const found = Object.entries(value).map(([name, member]) =>
        every([form.names, form.form], (part) => holds(part, part === form.names ? name : member, lookup, depth)),
      );
      if (found.includes(true)) return form.positive;
      return found.includes(undefined) ? undefined : !form.positive;
    }
    case 'opaque':
      return undefined;
  }
}

function every<T>(list: readonly T[], test: (item: T) => boolean | undefined): boolean | undefined {
  let verdict: boolean | undefined = true;
  for (const item of list) {
    const outcome = test(item);
    if (outcome === false) return false;
    if (outcome === undefined) verdict = undefined;
  }
  return verdict;
}

function negate(value: boolean | undefined): boolean | undefined {
  return value === undefined ? undefined : !value;
}

function sizeOf(value: JsonValue, of: 'string' | 'array' | 'object'): number | undefined {
  if (of === 'string') return typeof value === 'string' ? codePoints(value) : undefined;
  if (of === 'array') return Array.isArray(value) ? value.length : undefined;
  return isObject(value) ? Object.keys(value).length : undefined;
}

function expression(source: string, lookup: Lookup): RegExp {
  try {
    return new RegExp(source, 'u');
  } catch {
    const path = lookup.siteOf(`pattern:${source}`);
    throw new Undecided({ keyword: 'pattern', path, reason: 'not a regular expression with the u flag' });
  }
}
