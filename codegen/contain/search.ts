import type { JsonValue } from '../model/types.ts';
import { solveArrays } from './arrays.ts';
import { conjuncts, type Form } from './form.ts';
import type { Forge } from './forge.ts';
import { holds, type Lookup } from './holds.ts';
import { TYPE_ORDER, type JsonType } from './json.ts';
import type { Languages } from './languages.ts';
import { solveNumbers } from './numbers.ts';
import { solveObjects } from './objects.ts';
import { Doubt, EMPTY, open, witness, type Outcome, type Search } from './outcome.ts';
import { Restrictor } from './restrict.ts';
import { BudgetSpent, Undecided, type Budget } from './stop.ts';
import { strings } from './strings.ts';
import { Tableau } from './tableau.ts';

interface Frame {
  readonly claims: ReadonlySet<number>;
}

/**
 * Looks for a value of a form, or shows that there is none.
 *
 * Recursive schemas are met by cutting: a search that asks, on the way down, for a value of a set it is already
 * searching answers "none here". That is exact, because the smallest value of the outer set never contains
 * another value of that set. An "empty" that leaned on such a cut is remembered only once the cut set itself is
 * settled.
 */
export class FormSearch implements Search {
  readonly forge: Forge;
  readonly budget: Budget;
  readonly languages: Languages;
  readonly lookup: Lookup;
  readonly #restrictor: Restrictor;
  readonly #tableau: Tableau;
  readonly #known = new Map<number, Outcome>();
  readonly #leaves = new Map<string, Outcome>();
  readonly #frames: Frame[] = [];
  /** The outermost frame that answers given since it was last reset have leaned on. */
  #leaning = Infinity;

  constructor(parts: { forge: Forge; budget: Budget; languages: Languages; lookup: Lookup }) {
    this.forge = parts.forge;
    this.budget = parts.budget;
    this.languages = parts.languages;
    this.lookup = parts.lookup;
    this.#restrictor = new Restrictor(this.forge, (target) => this.lookup.unfold(target));
    this.#tableau = new Tableau({
      search: this,
      opposite: (form, type) => this.#restrictor.opposite(form, type),
      leaf: (type, atoms) => this.#leaf(type, atoms),
    });
  }

  restrict(form: Form, type: JsonType): Form {
    return this.#restrictor.restrict(form, type);
  }

  solve(form: Form): Outcome {
    if (form.kind === 'true') return witness(null);
    if (form.kind === 'false') return EMPTY;
    const known = this.#known.get(form.id);
    if (known !== undefined) return known;
    const claims = new Set(conjuncts(form).map(({ id }) => id));
    const cut = this.#frames.findIndex((frame) => isSubset(frame.claims, claims));
    if (cut >= 0) {
      this.#leaning = Math.min(this.#leaning, cut);
      return EMPTY;
    }
    const depth = this.#frames.length;
    if (depth >= this.budget.limits.depth) {
      return open({ keyword: '$ref', path: '', reason: 'budget' });
    }
    return this.#remember(depth, form, claims);
  }

  #remember(depth: number, form: Form, claims: ReadonlySet<number>): Outcome {
    const before = this.#leaning;
    this.#leaning = Infinity;
    this.#frames.push({ claims });
    let outcome: Outcome;
    try {
      outcome = this.#anyType(form);
    } finally {
      this.#frames.pop();
    }
    const settled = this.#leaning >= depth;
    if (outcome.kind === 'witness' || settled) this.#known.set(form.id, outcome);
    this.#leaning = settled ? before : Math.min(before, this.#leaning);
    return outcome;
  }

  #anyType(form: Form): Outcome {
    const doubt = new Doubt();
    for (const type of TYPE_ORDER) {
      const outcome = this.#attempt(form, type);
      if (outcome.kind === 'witness') return outcome;
      doubt.note(outcome);
    }
    return doubt.conclude();
  }

  #attempt(form: Form, type: JsonType): Outcome {
    try {
      const restricted = this.restrict(form, type);
      if (restricted.kind === 'false') return EMPTY;
      if (type === 'null') return this.#among([null], restricted);
      if (type === 'boolean') return this.#among([true, false], restricted);
      return this.#tableau.search(restricted, type);
    } catch (error) {
      if (error instanceof Undecided && !(error instanceof BudgetSpent)) return open(error.stop);
      throw error;
    }
  }

  /** The first of the given values for which the form holds. */
  #among(values: readonly JsonValue[], form: Form): Outcome {
    const doubt = new Doubt();
    for (const value of values) {
      const verdict = holds(form, value, this.lookup);
      if (verdict === true) return witness(value);
      if (verdict === undefined) doubt.note(open(opaqueStop(form)));
    }
    return doubt.conclude();
  }

  #leaf(type: JsonType, atoms: readonly Form[]): Outcome {
    const key = `${type}:${atoms.map(({ id }) => id).join(',')}`;
    const known = this.#leaves.get(key);
    if (known !== undefined) return known;
    const before = this.#leaning;
    this.#leaning = Infinity;
    const outcome = this.#guarded(type, atoms);
    if (outcome.kind === 'witness' || this.#leaning === Infinity) this.#leaves.set(key, outcome);
    this.#leaning = Math.min(before, this.#leaning);
    return outcome;
  }

  #guarded(type: JsonType, atoms: readonly Form[]): Outcome {
    try {
      return this.#byType(type, atoms);
    } catch (error) {
      if (error instanceof Undecided && !(error instanceof BudgetSpent)) return open(error.stop);
      throw error;
    }
  }

  #byType(type: JsonType, atoms: readonly Form[]): Outcome {
    const listed = atoms.find((atom) => atom.kind === 'values' && atom.positive);
    if (listed?.kind === 'values') return this.#among(listed.values, this.forge.and(atoms));
    const opaque = atoms.find(({ kind }) => kind === 'opaque');
    const outcome = this.#solver(
      type,
      atoms.filter(({ kind }) => kind !== 'opaque'),
    );
    return opaque !== undefined && outcome.kind === 'witness' ? open(opaqueStop(opaque)) : outcome;
  }

  #solver(type: JsonType, atoms: readonly Form[]): Outcome {
    switch (type) {
      case 'number': {
        const answer = solveNumbers(atoms);
        if (answer.kind !== 'open') return answer;
        return open({ keyword: 'multipleOf', path: '', reason: 'no number that fits was found, nor shown absent' });
      }
      case 'string': {
        const next = strings(atoms, this).next();
        return next.done === true ? EMPTY : witness(next.value);
      }
      case 'array':
        return solveArrays(atoms, this);
      case 'object':
        return solveObjects(atoms, this);
      case 'null':
      case 'boolean':
        throw new RangeError(`${type} has no atoms of its own`);
    }
  }
}

function isSubset(small: ReadonlySet<number>, large: ReadonlySet<number>): boolean {
  if (small.size > large.size) return false;
  for (const id of small) if (!large.has(id)) return false;
  return true;
}

function opaqueStop(form: Form): { keyword: string; path: string; reason: string } {
  if (form.kind === 'opaque') return { keyword: form.keyword, path: form.path, reason: form.reason };
  if (form.kind === 'format')
    return { keyword: 'format', path: '', reason: `the format ${form.name} is not known here` };
  if (form.kind === 'and' || form.kind === 'or') {
    for (const part of form.parts) {
      const stop = opaqueStop(part);
      if (stop.keyword !== '') return stop;
    }
  }
  if (form.kind === 'some' || form.kind === 'count') return opaqueStop(form.form);
  return { keyword: '', path: '', reason: 'a claim cannot be read' };
}
