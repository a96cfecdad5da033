import type { JsonValue } from '../model/types.ts';
import type { Form, ValuesForm } from './form.ts';
import { atomType } from './form.ts';
import type { Forge } from './forge.ts';
import { isObject, TYPE_BITS, typeOf, type JsonType } from './json.ts';

/**
 * Reads forms for values of one type: type claims become true or false, atoms of other types false, references
 * their bodies. What is left are conjunctions and disjunctions of atoms of that type.
 */
export class Restrictor {
  readonly #forge: Forge;
  readonly #unfold: (target: string) => Form;
  readonly #known = new Map<string, Form>();
  readonly #open = new Set<string>();
  #cuts = 0;

  constructor(forge: Forge, unfold: (target: string) => Form) {
    this.#forge = forge;
    this.#unfold = unfold;
  }

  restrict(form: Form, type: JsonType): Form {
    const key = `${type}:${form.id}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const cuts = this.#cuts;
    const result = this.#read(form, type);
    // A result that cut an endless reference short holds only while that reference is open.
    if (cuts === this.#cuts) this.#known.set(key, result);
    return result;
  }

  /** The complement among values of the same type. */
  opposite(form: Form, type: JsonType): Form {
    return this.restrict(this.#forge.not(form), type);
  }

  #read(form: Form, type: JsonType): Form {
    const forge = this.#forge;
    switch (form.kind) {
      case 'true':
      case 'false':
      case 'opaque':
        return form;
      case 'and':
        return forge.and(form.parts.map((part) => this.restrict(part, type)));
      case 'or':
        return forge.or(form.parts.map((part) => this.restrict(part, type)));
      case 'type':
        return (form.mask & TYPE_BITS[type]) === 0 ? forge.no : forge.yes;
      case 'values':
        return this.#values(form, type);
      case 'ref':
        return this.#body(form.target, form.positive, type);
      case 'range':
      case 'multiple':
      case 'size':
      case 'pattern':
      case 'format':
      case 'count':
      case 'unique':
      case 'some':
        return atomType(form) === type ? form : forge.no;
    }
  }

  #body(target: string, positive: boolean, type: JsonType): Form {
    const key = `${positive}:${target}`;
    if (this.#open.has(key)) {
      this.#cuts += 1;
      const reason = 'the schema refers to itself in place';
      return this.#forge.opaque({ keyword: '$ref', path: '', reason, identity: target });
    }
    this.#open.add(key);
    const body = this.#unfold(target);
    const result = this.restrict(positive ? body : this.#forge.not(body), type);
    this.#open.delete(key);
    return result;
  }

  #values(form: ValuesForm, type: JsonType): Form {
    const forge = this.#forge;
    const values = form.values.filter((value) => typeOf(value) === type);
    if (form.positive) return forge.values(values);
    if (type !== 'array' && type !== 'object') return forge.values(values, false);
    return forge.and(
      values.map((value) => (Array.isArray(value) ? this.#otherArray(value) : this.#otherObject(value))),
    );
  }

  /** Another length, or some position holds another item. */
  #otherArray(items: readonly JsonValue[]): Form {
    const forge = this.#forge;
    const different = items.map((item, at) => forge.count({ from: at, to: at + 1 }, forge.values([item], false), 1, 1));
    const size = forge.size('array', items.length, items.length);
    return this.restrict(forge.or([forge.not(size), ...different]), 'array');
  }

  /** Another name, a name missing, or some property holds another value. */
  #otherObject(value: JsonValue): Form {
    const forge = this.#forge;
    const entries = isObject(value) ? Object.entries(value) : [];
    const names = entries.map(([name]) => name);
    const different = entries.flatMap(([name, item]) => [
      forge.some(forge.values([name]), forge.yes, false),
      forge.some(forge.values([name]), forge.values([item], false)),
    ]);
    return this.restrict(forge.or([forge.some(forge.values(names, false), forge.yes), ...different]), 'object');
  }
}
