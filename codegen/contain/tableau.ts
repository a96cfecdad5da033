import type { Form } from './form.ts';
import { holds } from './holds.ts';
import type { JsonType } from './json.ts';
import { Doubt, EMPTY, type Outcome, type Search } from './outcome.ts';

interface Parts {
  readonly search: Search;
  /** The complement among values of the type, as a form of that type. */
  readonly opposite: (form: Form, type: JsonType) => Form;
  /** Decides a plain list of atoms. */
  readonly leaf: (type: JsonType, atoms: readonly Form[]) => Outcome;
}

/** Atoms taken as true, disjunctions still to be chosen from, and every form known to be true by now. */
interface Branch {
  readonly atoms: readonly Form[];
  readonly choices: readonly (readonly Form[])[];
}

/**
 * Takes a form of one type apart into conjunctions of atoms, one choice at a time. Before a choice is made, the
 * atoms gathered so far are decided on their own: if they already exclude each other the branch closes, and if
 * their witness happens to satisfy the open choices the search is over.
 */
export class Tableau {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  search(form: Form, type: JsonType): Outcome {
    const run = { branches: 0 };
    return this.#branch([form], type, run) ?? EMPTY;
  }

  #branch(forms: readonly Form[], type: JsonType, run: { branches: number }): Outcome | undefined {
    const { search } = this.#parts;
    search.budget.spend(1, () => ({ keyword: 'anyOf', path: '', reason: 'budget' }));
    run.branches += 1;
    if (run.branches > search.budget.limits.branches) {
      search.budget.spend(Infinity, () => ({ keyword: 'anyOf', path: '', reason: 'budget' }));
    }
    const branch = this.#settle(forms, type);
    if (branch === undefined) return undefined;
    const outcome = this.#parts.leaf(type, branch.atoms);
    if (outcome.kind === 'empty' || branch.choices.length === 0) return outcome;
    if (outcome.kind === 'witness' && this.#satisfies(branch, outcome)) return outcome;
    return this.#choose(branch, type, run);
  }

  #choose(branch: Branch, type: JsonType, run: { branches: number }): Outcome | undefined {
    const doubt = new Doubt();
    const [choice = [], ...rest] = branch.choices.toSorted((a, b) => a.length - b.length);
    const open = rest.map((members) => this.#parts.search.forge.or(members));
    for (const member of choice) {
      const outcome = this.#branch([...branch.atoms, member, ...open], type, run);
      if (outcome?.kind === 'witness') return outcome;
      if (outcome !== undefined) doubt.note(outcome);
    }
    return doubt.conclude();
  }

  #satisfies(branch: Branch, outcome: Outcome & { kind: 'witness' }): boolean {
    const { lookup } = this.#parts.search;
    return branch.choices.every((members) => members.some((member) => holds(member, outcome.value, lookup) === true));
  }

  /** Flattens, drops what is already true, removes members already false; undefined when nothing can hold. */
  #settle(forms: readonly Form[], type: JsonType): Branch | undefined {
    const known = new Map<number, Form>();
    const queue = [...forms];
    let choices: Form[] = [];
    for (;;) {
      for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
        if (next.kind === 'false' || known.has(this.#parts.opposite(next, type).id)) return undefined;
        if (next.kind === 'true' || known.has(next.id)) continue;
        known.set(next.id, next);
        if (next.kind === 'and') queue.push(...next.parts);
        if (next.kind === 'or') choices.push(next);
      }
      const kept: Form[] = [];
      for (const choice of choices) {
        const members = choice.kind === 'or' ? choice.parts : [choice];
        if (members.some((member) => this.#isKnown(member, known))) continue;
        const left = members.filter((member) => !this.#isRefuted(member, known, type));
        const [only] = left;
        if (only === undefined) return undefined;
        if (left.length === 1) queue.push(only);
        else kept.push(left.length === members.length ? choice : this.#parts.search.forge.or(left));
      }
      choices = kept.filter((choice) => choice.kind === 'or');
      if (queue.length === 0) return this.#summary(known, choices);
    }
  }

  #summary(known: ReadonlyMap<number, Form>, choices: readonly Form[]): Branch {
    const atoms = [...known.values()].filter(({ kind }) => kind !== 'and' && kind !== 'or');
    return {
      atoms: atoms.sort((a, b) => a.id - b.id),
      choices: choices.map((choice) => (choice.kind === 'or' ? choice.parts : [choice])),
    };
  }

  #isKnown(form: Form, known: ReadonlyMap<number, Form>): boolean {
    if (known.has(form.id)) return true;
    return form.kind === 'and' && form.parts.every((part) => this.#isKnown(part, known));
  }

  #isRefuted(form: Form, known: ReadonlyMap<number, Form>, type: JsonType): boolean {
    if (form.kind === 'false' || known.has(this.#parts.opposite(form, type).id)) return true;
    return form.kind === 'and' && form.parts.some((part) => this.#isRefuted(part, known, type));
  }
}
