import type { JsonValue } from '../model/types.ts';
import { assignDistinct } from './distinct.ts';
import type { CountForm, Form } from './form.ts';
import { Doubt, EMPTY, open, witness, type Outcome, type Search } from './outcome.ts';

/** Items placed one by one, at most; longer arrays are filled up with copies. */
const MAX_PLACED = 600;
/** The longest array written out as a witness. */
const MAX_WRITTEN = 20_000;

interface ArrayClaims {
  readonly min: number;
  readonly max: number;
  /** No item in the range may satisfy the form. */
  readonly denied: readonly CountForm[];
  readonly counted: readonly CountForm[];
  readonly unique: boolean;
  readonly repeated: boolean;
}

/** What one item is chosen to be: the form it satisfies, and which counters it moves. */
interface Choice {
  readonly form: Form;
  readonly moves: readonly number[];
}

/**
 * An array that meets every claim. Beyond the last position a claim names, all positions are alike, so an array
 * need never be longer than that position plus the items that counters demand (and two for a repetition).
 */
export function solveArrays(atoms: readonly Form[], search: Search): Outcome {
  const claims = gather(atoms);
  if (claims.min > claims.max || (claims.unique && claims.repeated)) return EMPTY;
  return new ArrayBuilder(claims, search).solve();
}

function gather(atoms: readonly Form[]): ArrayClaims {
  let min = 0;
  let max = Infinity;
  const counts = atoms.filter((atom): atom is CountForm => atom.kind === 'count');
  for (const atom of atoms) {
    if (atom.kind !== 'size') continue;
    min = Math.max(min, atom.min);
    max = Math.min(max, atom.max);
  }
  for (const count of counts) if (count.min > 0) min = Math.max(min, count.from + count.min);
  return {
    min,
    max,
    denied: counts.filter((count) => count.max === 0),
    counted: counts.filter((count) => count.max > 0),
    unique: atoms.some((atom) => atom.kind === 'unique' && atom.positive),
    repeated: atoms.some((atom) => atom.kind === 'unique' && !atom.positive),
  };
}

class ArrayBuilder {
  readonly #claims: ArrayClaims;
  readonly #search: Search;
  readonly #doubt = new Doubt();
  readonly #allowed = new Map<string, Form>();
  readonly #failed = new Set<string>();

  constructor(claims: ArrayClaims, search: Search) {
    this.#claims = claims;
    this.#search = search;
  }

  solve(): Outcome {
    const { min, max, counted, repeated, denied, unique } = this.#claims;
    const ends = [...counted, ...denied].flatMap(({ from, to }) => [from, to]).filter((end) => end < Infinity);
    const uniform = Math.max(0, ...ends);
    const demanded = counted.reduce((sum, count) => sum + count.min, 0) + (repeated ? 2 : 0);
    const longest = Math.min(max, Math.max(uniform, min) + demanded);
    // Items that move a bounded counter number at most the bounds together, and may stand first; the rest move none.
    const bounded = counted.reduce((sum, count) => sum + (count.max < Infinity ? count.max : 0), 0);
    for (let length = min; length <= longest; length += 1) {
      const placed = unique ? length : Math.min(length, uniform + demanded + bounded);
      if (placed > MAX_PLACED || length > MAX_WRITTEN) return this.#budget();
      const found = this.#place(0, placed, { length, chosen: [], counts: counted.map(() => 0) });
      if (found !== undefined) return found;
    }
    return this.#doubt.conclude();
  }

  #place(
    at: number,
    placed: number,
    state: { length: number; chosen: readonly Form[]; counts: readonly number[] },
  ): Outcome | undefined {
    const { counted, unique, repeated } = this.#claims;
    if (at === placed) return this.#finish(state);
    const key = `${state.length}:${at}:${state.counts.join(',')}`;
    const independent = !unique && !repeated;
    if (independent && this.#failed.has(key)) return undefined;
    this.#search.budget.spend(1, () => ({ keyword: 'items', path: '', reason: 'budget' }));
    for (const choice of this.#choices(at, state.counts)) {
      const counts = state.counts.map((count, index) => count + (choice.moves[index] ?? 0));
      if (counts.some((count, index) => count > (counted[index]?.max ?? 0))) continue;
      if (this.#hopeless(at + 1, placed, counts) || !this.#inhabited(choice.form)) continue;
      const found = this.#place(at + 1, placed, { ...state, chosen: [...state.chosen, choice.form], counts });
      if (found !== undefined) return found;
    }
    if (independent) this.#failed.add(key);
    return undefined;
  }

  /** Whether some counter can no longer reach its minimum with the positions left. */
  #hopeless(at: number, placed: number, counts: readonly number[]): boolean {
    return this.#claims.counted.some((count, index) => {
      const left = Math.max(0, Math.min(placed, count.to) - Math.max(at, count.from));
      return (counts[index] ?? 0) + left < count.min;
    });
  }

  #choices(at: number, counts: readonly number[]): Choice[] {
    const { forge } = this.#search;
    let choices: Choice[] = [{ form: this.#allowedAt(at), moves: [] }];
    this.#claims.counted.forEach((count, index) => {
      const here = at >= count.from && at < count.to;
      const needed = (counts[index] ?? 0) < count.min;
      choices = choices.flatMap(({ form, moves }) => {
        const still = { form, moves: [...moves, 0] };
        if (!here) return [still];
        // Satisfying a demand is claimed only where it counts towards a minimum, denied only under a maximum.
        const inside = { form: count.min > 0 ? forge.and([form, count.form]) : form, moves: [...moves, 1] };
        if (count.max === Infinity) return needed ? [inside, still] : [still];
        const outside = { form: forge.and([form, forge.not(count.form)]), moves: [...moves, 0] };
        return needed ? [inside, outside] : [outside, inside];
      });
    });
    return choices;
  }

  #allowedAt(at: number): Form {
    const claims = this.#claims.denied.filter(({ from, to }) => at >= from && at < to);
    const key = claims.map(({ id }) => id).join(',');
    const { forge } = this.#search;
    const form = this.#allowed.get(key) ?? forge.and(claims.map((claim) => forge.not(claim.form)));
    this.#allowed.set(key, form);
    return form;
  }

  #inhabited(form: Form): boolean {
    const outcome = this.#search.solve(form);
    this.#doubt.note(outcome);
    return outcome.kind === 'witness';
  }

  #finish(state: { length: number; chosen: readonly Form[]; counts: readonly number[] }): Outcome | undefined {
    const { unique, repeated, counted } = this.#claims;
    if (counted.some((count, index) => (state.counts[index] ?? 0) < count.min)) return undefined;
    const items = unique
      ? this.#distinct(state.chosen)
      : repeated
        ? this.#paired(state.chosen)
        : this.#plain(state.chosen);
    if (items === undefined) return undefined;
    const rest = state.length - items.length;
    if (rest === 0) return witness(items);
    const { forge } = this.#search;
    const neutral = counted.filter((count) => count.max < Infinity).map((count) => forge.not(count.form));
    const filler = this.#search.solve(forge.and([this.#allowedAt(items.length), ...neutral]));
    this.#doubt.note(filler);
    if (filler.kind === 'witness') return witness([...items, ...Array.from({ length: rest }, () => filler.value)]);
    return undefined;
  }

  #plain(chosen: readonly Form[]): JsonValue[] | undefined {
    const values: JsonValue[] = [];
    for (const form of chosen) {
      const outcome = this.#search.solve(form);
      if (outcome.kind !== 'witness') return undefined;
      values.push(outcome.value);
    }
    return values;
  }

  #distinct(chosen: readonly Form[]): readonly JsonValue[] | undefined {
    const assigned = assignDistinct(chosen, this.#search);
    if (assigned.kind === 'open') this.#doubt.note(assigned);
    return assigned.kind === 'found' ? assigned.values : undefined;
  }

  #paired(chosen: readonly Form[]): JsonValue[] | undefined {
    const { forge } = this.#search;
    for (const [left, first] of chosen.entries()) {
      for (const [right, second] of chosen.entries()) {
        if (right <= left) continue;
        const both = this.#search.solve(forge.and([first, second]));
        this.#doubt.note(both);
        if (both.kind !== 'witness') continue;
        const values = this.#plain(chosen);
        return values?.map((value, at) => (at === left || at === right ? both.value : value));
      }
    }
    return undefined;
  }

  #budget(): Outcome {
    return open({ keyword: 'minItems', path: '', reason: 'budget' });
  }
}
