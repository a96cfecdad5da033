import type { Form } from './form.ts';
import { holds } from './holds.ts';
import type { Search } from './outcome.ts';
import { strings } from './strings.ts';
import { Undecided } from './stop.ts';

/** Names that every claim of an object treats alike. */
export interface Cell {
  /** Distinct names of the cell, each once; ends when there are no more. */
  readonly names: () => Generator<string>;
  /** How many names there are, as far as anyone asked to know. */
  readonly atLeast: (count: number) => boolean;
  /** Whether the cell lies inside the set of names. */
  readonly inside: (names: Form) => boolean;
  readonly single: boolean;
}

/** More pattern-like name sets than this would mean too many combinations to list. */
const MAX_BASES = 10;

/** Divides all property names into cells along the name sets in use. */
export class NameCells {
  readonly explicit: readonly Cell[];
  readonly #sets: readonly Form[];
  readonly #bases: readonly Form[];
  readonly #listed: readonly string[];
  readonly #search: Search;
  #others: readonly Cell[] | undefined;

  constructor(sets: readonly Form[], search: Search) {
    this.#search = search;
    this.#sets = sets.map((set) => search.restrict(set, 'string'));
    const listed = new Set<string>();
    const bases = new Map<number, Form>();
    for (const set of this.#sets) collect(set, listed, bases, search);
    this.#listed = [...listed];
    this.#bases = [...bases.values()];
    this.explicit = this.#listed.map((name) => this.#named(name));
  }

  /** Cells of names no claim lists by name. */
  others(): readonly Cell[] {
    this.#others ??= this.#combine();
    return this.#others;
  }

  #named(name: string): Cell {
    const { lookup } = this.#search;
    return {
      single: true,
      *names() {
        yield name;
      },
      atLeast: (count) => count <= 1,
      inside: (names) => {
        const verdict = holds(names, name, lookup);
        if (verdict === undefined) throw undecidedNames(names, this.#search);
        return verdict;
      },
    };
  }

  #combine(): Cell[] {
    if (this.#bases.length > MAX_BASES) {
      throw new Undecided({ keyword: 'patternProperties', path: '', reason: 'budget' });
    }
    const { forge } = this.#search;
    const unlisted = forge.values(this.#listed, false);
    let partial: Form[][] = [unlisted.kind === 'true' ? [] : [unlisted]];
    for (const base of this.#bases) {
      const denied = this.#search.restrict(forge.not(base), 'string');
      partial = partial.flatMap((claims) => [base, denied].map((claim) => [...claims, claim]));
      partial = partial.filter((claims) => this.#inhabited(claims));
    }
    return partial.map((claims) => this.#cell(claims));
  }

  #inhabited(claims: readonly Form[]): boolean {
    return this.#strings(claims).next().done !== true;
  }

  #strings(claims: readonly Form[]): Generator<string> {
    return strings(claims, this.#search);
  }

  #cell(claims: readonly Form[]): Cell {
    const truths = new Set(claims.map((claim) => claim.id));
    const truth = (form: Form): boolean => {
      if (form.kind === 'and') return form.parts.every(truth);
      if (form.kind === 'or') return form.parts.some(truth);
      if (form.kind === 'values') return !form.positive;
      return form.kind === 'true' || truths.has(form.id);
    };
    return {
      single: false,
      names: () => emptyNameSecond(this.#strings(claims)),
      atLeast: (count) => {
        let found = 0;
        for (const _ of this.#strings(claims)) {
          found += 1;
          if (found >= count) return true;
        }
        return count <= 0;
      },
      inside: (names) => truth(this.#search.restrict(names, 'string')),
    };
  }
}

/** The empty name is a fine name, but a poor first example. */
function* emptyNameSecond(names: Generator<string>): Generator<string> {
  const first = names.next();
  if (first.done === true) return;
  const second = first.value === '' ? names.next() : undefined;
  if (second !== undefined && second.done !== true) yield second.value;
  yield first.value;
  yield* names;
}

/** Sorts the leaves of a name set into listed names and everything that is not a list. */
function collect(form: Form, listed: Set<string>, bases: Map<number, Form>, search: Search): void {
  if (form.kind === 'and' || form.kind === 'or') {
    for (const part of form.parts) collect(part, listed, bases, search);
  } else if (form.kind === 'values') {
    for (const value of form.values) if (typeof value === 'string') listed.add(value);
  } else if (form.kind === 'opaque') {
    throw undecidedNames(form, search);
  } else if (form.kind !== 'true' && form.kind !== 'false') {
    const denied = search.restrict(search.forge.not(form), 'string');
    if (!bases.has(denied.id)) bases.set(form.id, form);
  }
}

function undecidedNames(names: Form, search: Search): Undecided {
  const reason = 'a set of property names cannot be told';
  if (names.kind === 'format') {
    return new Undecided({ keyword: 'format', path: search.lookup.siteOf(`format:${names.name}`), reason });
  }
  return new Undecided({ keyword: 'propertyNames', path: '', reason });
}
