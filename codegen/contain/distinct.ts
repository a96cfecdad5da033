import type { JsonValue } from '../model/types.ts';
import type { Form } from './form.ts';
import { canonical } from './json.ts';
import type { Outcome, Search } from './outcome.ts';

type Assignment =
  | { readonly kind: 'found'; readonly values: readonly JsonValue[] }
  | { readonly kind: 'none' }
  | (Outcome & { readonly kind: 'open' });

interface Supply {
  readonly values: readonly JsonValue[];
  readonly open: (Outcome & { readonly kind: 'open' }) | undefined;
}

/**
 * One value per form, all different. Each form is asked for as many values as there are forms: with that many it
 * can never run short, with fewer they are all it has, so failing to match proves that no choice exists.
 */
export function assignDistinct(forms: readonly Form[], search: Search): Assignment {
  const supplies = new Map<number, Supply>();
  for (const form of forms) {
    if (!supplies.has(form.id)) supplies.set(form.id, supply(form, forms.length, search));
  }
  const owners = new Map<string, number>();
  const taken = new Map<number, JsonValue>();
  const choicesOf = (index: number): readonly JsonValue[] => supplies.get(forms[index]?.id ?? -1)?.values ?? [];
  const take = (index: number, value: JsonValue): true => {
    owners.set(canonical(value), index);
    taken.set(index, value);
    return true;
  };
  const assign = (index: number, visited: Set<string>): boolean => {
    const free = choicesOf(index).find((value) => !owners.has(canonical(value)));
    if (free !== undefined) return take(index, free);
    for (const value of choicesOf(index)) {
      const key = canonical(value);
      if (visited.has(key)) continue;
      visited.add(key);
      const owner = owners.get(key);
      if (owner !== undefined && !assign(owner, visited)) continue;
      return take(index, value);
    }
    return false;
  };
  for (const [index] of forms.entries()) {
    if (assign(index, new Set())) continue;
    const unsure = [...supplies.values()].find((found) => found.open !== undefined)?.open;
    return unsure ?? { kind: 'none' };
  }
  return { kind: 'found', values: forms.map((_, index) => taken.get(index) ?? null) };
}

function supply(form: Form, wanted: number, search: Search): Supply {
  const values: JsonValue[] = [];
  while (values.length < wanted) {
    search.budget.spend(1, () => ({ keyword: 'uniqueItems', path: '', reason: 'budget' }));
    const outcome = search.solve(search.forge.and([form, search.forge.values(values, false)]));
    if (outcome.kind === 'open') return { values, open: outcome };
    if (outcome.kind === 'empty') break;
    values.push(outcome.value);
  }
  return { values, open: undefined };
}
