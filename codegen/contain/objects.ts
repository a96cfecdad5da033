import type { JsonValue } from '../model/types.ts';
import type { Form, SomeForm } from './form.ts';
import { NameCells, type Cell } from './names.ts';
import { Doubt, EMPTY, witness, type Outcome, type Search } from './outcome.ts';

interface Group {
  readonly cell: Cell;
  readonly form: Form;
  readonly value: JsonValue;
}

/** Groups that several demands may share, and how many properties there may be. */
interface Plan {
  readonly wanted: readonly SomeForm[];
  readonly min: number;
  readonly max: number;
}

/**
 * An object that meets every claim: property names fall into cells that all claims treat alike, each demand for
 * a property is placed in a cell, and properties are added until there are enough. Merging demands into one
 * property is tried only where it can matter: names that are few, or a bound on the number of properties.
 */
export function solveObjects(atoms: readonly Form[], search: Search): Outcome {
  const denied = atoms.filter((atom): atom is SomeForm => atom.kind === 'some' && !atom.positive);
  const wanted = atoms.filter((atom): atom is SomeForm => atom.kind === 'some' && atom.positive);
  let min = 0;
  let max = Infinity;
  for (const atom of atoms) {
    if (atom.kind !== 'size') continue;
    min = Math.max(min, atom.min);
    max = Math.min(max, atom.max);
  }
  if (min > max) return EMPTY;
  if (wanted.length === 0 && min === 0) return witness({});
  return new ObjectBuilder(denied, { wanted, min, max }, search).solve();
}

class ObjectBuilder {
  readonly #denied: readonly SomeForm[];
  readonly #plan: Plan;
  readonly #search: Search;
  readonly #cells: NameCells;
  readonly #doubt = new Doubt();
  readonly #allowed = new Map<Cell, Form>();

  constructor(denied: readonly SomeForm[], plan: Plan, search: Search) {
    this.#denied = denied;
    this.#search = search;
    this.#cells = new NameCells(
      [...denied, ...plan.wanted].map(({ names }) => names),
      search,
    );
    // Demands on listed names leave no choice, so they go first.
    const wanted = [...plan.wanted.filter(isListed), ...plan.wanted.filter((demand) => !isListed(demand))];
    this.#plan = { ...plan, wanted };
  }

  solve(): Outcome {
    return this.#place(0, []) ?? this.#doubt.conclude();
  }

  #place(at: number, groups: readonly Group[]): Outcome | undefined {
    const demand = this.#plan.wanted[at];
    if (demand === undefined) return this.#fill(groups);
    this.#search.budget.spend(1, () => ({ keyword: 'properties', path: '', reason: 'budget' }));
    for (const cell of this.#candidates(demand)) {
      const mates = groups.filter((group) => group.cell === cell);
      const roomy = this.#plan.max === Infinity && cell.atLeast(mates.length + this.#plan.wanted.length);
      if (groups.length < this.#plan.max && cell.atLeast(mates.length + 1)) {
        const group = this.#group(cell, this.#search.forge.and([this.#allowedIn(cell), demand.form]));
        const found = group === undefined ? undefined : this.#place(at + 1, [...groups, group]);
        if (found !== undefined) return found;
      }
      // Where names never run out, sharing a property only adds claims to it.
      if (roomy) continue;
      for (const mate of mates) {
        const group = this.#group(cell, this.#search.forge.and([mate.form, demand.form]));
        const rest = groups.map((other) => (other === mate && group !== undefined ? group : other));
        const found = group === undefined ? undefined : this.#place(at + 1, rest);
        if (found !== undefined) return found;
      }
    }
    return undefined;
  }

  #candidates(demand: SomeForm): readonly Cell[] {
    const cells = isListed(demand) ? this.#cells.explicit : [...this.#cells.explicit, ...this.#cells.others()];
    return cells.filter((cell) => cell.inside(demand.names));
  }

  #allowedIn(cell: Cell): Form {
    const known = this.#allowed.get(cell);
    if (known !== undefined) return known;
    const { forge } = this.#search;
    const claims = this.#denied.filter(({ names }) => cell.inside(names)).map(({ form }) => forge.not(form));
    const form = forge.and(claims);
    this.#allowed.set(cell, form);
    return form;
  }

  #group(cell: Cell, form: Form): Group | undefined {
    const outcome = this.#search.solve(form);
    this.#doubt.note(outcome);
    return outcome.kind === 'witness' ? { cell, form, value: outcome.value } : undefined;
  }

  #fill(groups: readonly Group[]): Outcome | undefined {
    const missing = this.#plan.min - groups.length;
    const extra: Group[] = [];
    if (missing > 0) {
      for (const cell of [...this.#cells.explicit, ...this.#cells.others()]) {
        if (extra.length >= missing) break;
        this.#extend(cell, groups, extra, missing);
      }
      if (extra.length < missing) return undefined;
    }
    return this.#write([...groups, ...extra]);
  }

  #extend(cell: Cell, groups: readonly Group[], extra: Group[], missing: number): void {
    const group = this.#group(cell, this.#allowedIn(cell));
    if (group === undefined) return;
    let used = groups.filter((other) => other.cell === cell).length;
    while (extra.length < missing && cell.atLeast(used + 1)) {
      this.#search.budget.spend(1, () => ({ keyword: 'minProperties', path: '', reason: 'budget' }));
      extra.push(group);
      used += 1;
    }
  }

  #write(groups: readonly Group[]): Outcome {
    const supplies = new Map<Cell, Generator<string>>();
    const entries = groups.map(({ cell, value }): [string, JsonValue] => {
      const supply = supplies.get(cell) ?? cell.names();
      supplies.set(cell, supply);
      const next = supply.next();
      if (next.done === true) throw new RangeError('a cell of names promised more names than it has');
      return [next.value, value];
    });
    return witness(Object.fromEntries(entries));
  }
}

function isListed({ names }: SomeForm): boolean {
  return names.kind === 'values' && names.positive;
}
