import type { JsonValue } from '../model/types.ts';
import type { AndForm, Atom, FalseForm, Form, OpaqueForm, OrForm, SomeForm, TrueForm } from './form.ts';
import { atomType } from './form.ts';
import { ALL_TYPES, canonical, TYPE_BITS, type JsonType } from './json.ts';
import type { Rational } from './rational.ts';

type Shape = Form extends infer F ? (F extends Form ? Omit<F, 'id'> : never) : never;

/**
 * Makes forms. Equal structure gives the same object, so equality is identity, a claim and its denial are
 * found by id, and answers can be remembered. One forge serves one question.
 */
export class Forge {
  readonly yes: TrueForm;
  readonly no: FalseForm;
  readonly #byKey = new Map<string, Form>();
  readonly #duals = new Map<number, Form>();

  constructor() {
    this.yes = { kind: 'true', id: 0 };
    this.no = { kind: 'false', id: 1 };
    this.#duals.set(0, this.no).set(1, this.yes);
  }

  and(forms: Iterable<Form>): Form {
    const parts = new Map<number, Form>();
    let mask = ALL_TYPES;
    const queue = [...forms];
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      if (next.kind === 'false') return this.no;
      if (next.kind === 'and') queue.unshift(...next.parts);
      else if (next.kind === 'type') mask &= next.mask;
      else if (next.kind !== 'true') parts.set(next.id, next);
    }
    if (mask === 0) return this.no;
    if (this.#contradicts(parts)) return this.no;
    const list = [...parts.values()];
    if (mask !== ALL_TYPES) list.push(this.type(mask));
    return this.#join('and', list, this.yes);
  }

  or(forms: Iterable<Form>): Form {
    const parts = new Map<number, Form>();
    let mask = 0;
    const queue = [...forms];
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      if (next.kind === 'true') return this.yes;
      if (next.kind === 'or') queue.unshift(...next.parts);
      else if (next.kind === 'type') mask |= next.mask;
      else if (next.kind !== 'false') parts.set(next.id, next);
    }
    if (mask === ALL_TYPES) return this.yes;
    if (this.#contradicts(parts)) return this.yes;
    const list = [...parts.values()];
    if (mask !== 0) list.push(this.type(mask));
    return this.#join('or', list, this.no);
  }

  type(mask: number): Form {
    if (mask === 0) return this.no;
    return mask === ALL_TYPES ? this.yes : this.#intern(`type:${mask}`, { kind: 'type', mask });
  }

  notType(type: JsonType): Form {
    return this.type(ALL_TYPES & ~TYPE_BITS[type]);
  }

  /** "If the value has this type, then …", the way every assertion of JSON Schema reads. */
  given(type: JsonType, form: Form): Form {
    return this.or([this.notType(type), form]);
  }

  ref(target: string, positive = true): Form {
    return this.#intern(`ref:${positive}:${target}`, { kind: 'ref', target, positive });
  }

  values(values: readonly JsonValue[], positive = true): Form {
    const byKey = new Map(values.map((value) => [canonical(value), value]));
    if (byKey.size === 0) return positive ? this.no : this.yes;
    const keys = new Set([...byKey.keys()].sort());
    const sorted = [...keys].map((key) => byKey.get(key) ?? null);
    const shape = { kind: 'values', values: sorted, keys, positive } as const;
    return this.#intern(`values:${positive}:${[...keys].join(',')}`, shape);
  }

  range(side: 'min' | 'max', bound: Rational, open: boolean): Form {
    return this.#intern(`range:${side}:${bound.n}/${bound.d}:${open}`, { kind: 'range', side, bound, open });
  }

  multiple(of: Rational, positive = true): Form {
    return this.#intern(`multiple:${of.n}/${of.d}:${positive}`, { kind: 'multiple', of, positive });
  }

  size(of: 'string' | 'array' | 'object', min: number, max: number): Form {
    if (min > max) return this.no;
    if (min <= 0 && max === Infinity) return this.type(TYPE_BITS[of]);
    return this.#intern(`size:${of}:${min}:${max}`, { kind: 'size', of, min, max });
  }

  pattern(source: string, positive = true): Form {
    return this.#intern(`pattern:${positive}:${source}`, { kind: 'pattern', source, positive });
  }

  format(name: string, positive = true): Form {
    return this.#intern(`format:${positive}:${name}`, { kind: 'format', name, positive });
  }

  count(range: { from: number; to: number }, form: Form, min: number, max: number): Form {
    const { from, to } = range;
    if (min > max || (form.kind === 'false' && min > 0) || to - from < min) return this.no;
    if (min <= 0 && (max >= to - from || form.kind === 'false')) return this.type(TYPE_BITS.array);
    if (form.kind === 'true' && from === 0 && to === Infinity) return this.size('array', min, max);
    const key = `count:${from}:${to}:${form.id}:${min}:${max}`;
    return this.#intern(key, { kind: 'count', from, to, form, min, max });
  }

  /** Every item in the range satisfies the form. */
  every(range: { from: number; to: number }, form: Form): Form {
    return this.count(range, this.not(form), 0, 0);
  }

  unique(positive = true): Form {
    return this.#intern(`unique:${positive}`, { kind: 'unique', positive });
  }

  some(names: Form, form: Form, positive = true): Form {
    if (names.kind === 'false' || form.kind === 'false') {
      return positive ? this.no : this.type(TYPE_BITS.object);
    }
    return this.#intern(`some:${positive}:${names.id}:${form.id}`, { kind: 'some', names, form, positive });
  }

  /** Every property with a name in the set has a value in the form. */
  each(names: Form, form: Form): Form {
    return this.some(names, this.not(form), false);
  }

  opaque(claim: Omit<OpaqueForm, 'id' | 'kind' | 'positive'>, positive = true): Form {
    const { keyword, path, reason, identity } = claim;
    const key = `opaque:${positive}:${keyword}:${identity}`;
    return this.#intern(key, { kind: 'opaque', keyword, path, reason, identity, positive });
  }

  /** The exact complement over all JSON values. */
  not(form: Form): Form {
    const known = this.#duals.get(form.id);
    if (known !== undefined) return known;
    const dual = this.#negate(form);
    this.#duals.set(form.id, dual);
    // A composite may be the complement of several forms; the first one stays, they mean the same.
    if (!this.#duals.has(dual.id)) this.#duals.set(dual.id, form);
    return dual;
  }

  /** The complement of an atom among values of the atom's own type. */
  opposite(form: Atom): Form {
    switch (form.kind) {
      case 'values':
        return this.values(form.values, !form.positive);
      case 'range':
        return this.range(form.side === 'min' ? 'max' : 'min', form.bound, !form.open);
      case 'multiple':
        return this.multiple(form.of, !form.positive);
      case 'pattern':
        return this.pattern(form.source, !form.positive);
      case 'format':
        return this.format(form.name, !form.positive);
      case 'unique':
        return this.unique(!form.positive);
      case 'some':
        return this.#oppositeOfSome(form);
      case 'opaque':
        return this.opaque(form, !form.positive);
      case 'size':
        return this.or([
          form.min > 0 ? this.size(form.of, 0, form.min - 1) : this.no,
          form.max < Infinity ? this.size(form.of, form.max + 1, Infinity) : this.no,
        ]);
      case 'count':
        return this.or([
          form.min > 0 ? this.count(form, form.form, 0, form.min - 1) : this.no,
          form.max < Infinity ? this.count(form, form.form, form.max + 1, Infinity) : this.no,
        ]);
    }
  }

  #oppositeOfSome(form: SomeForm): Form {
    return this.some(form.names, form.form, !form.positive);
  }

  #negate(form: Form): Form {
    switch (form.kind) {
      case 'true':
        return this.no;
      case 'false':
        return this.yes;
      case 'and':
        return this.or(form.parts.map((part) => this.not(part)));
      case 'or':
        return this.and(form.parts.map((part) => this.not(part)));
      case 'ref':
        return this.ref(form.target, !form.positive);
      case 'type':
        return this.type(ALL_TYPES & ~form.mask);
      case 'values':
      case 'range':
      case 'multiple':
      case 'size':
      case 'pattern':
      case 'format':
      case 'count':
      case 'unique':
      case 'some':
      case 'opaque': {
        const type = atomType(form);
        const opposite = this.opposite(form);
        return type === undefined ? opposite : this.given(type, opposite);
      }
    }
  }

  #contradicts(parts: ReadonlyMap<number, Form>): boolean {
    for (const id of parts.keys()) {
      const dual = this.#duals.get(id);
      if (dual !== undefined && parts.has(dual.id)) return true;
    }
    return false;
  }

  #join(kind: 'and' | 'or', list: readonly Form[], empty: Form): Form {
    const [first] = list;
    if (first === undefined) return empty;
    if (list.length === 1) return first;
    const parts = list.toSorted((a, b) => a.id - b.id);
    const shape: Omit<AndForm, 'id'> | Omit<OrForm, 'id'> = { kind, parts };
    return this.#intern(`${kind}:${parts.map((part) => part.id).join(',')}`, shape);
  }

  #intern(key: string, shape: Shape): Form {
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    const form: Form = { ...shape, id: this.#byKey.size + 2 };
    this.#byKey.set(key, form);
    return form;
  }
}
