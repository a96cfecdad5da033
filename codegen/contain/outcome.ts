import type { JsonValue } from '../model/types.ts';
import type { Form } from './form.ts';
import type { Forge } from './forge.ts';
import type { Lookup } from './holds.ts';
import type { Languages } from './languages.ts';
import type { Budget, Stop } from './stop.ts';

/** What a search says about a form: no value, this value, or not known and why. */
export type Outcome =
  | { readonly kind: 'empty' }
  | { readonly kind: 'witness'; readonly value: JsonValue }
  | { readonly kind: 'open'; readonly stop: Stop };

export const EMPTY: Outcome = { kind: 'empty' };

export function witness(value: JsonValue): Outcome {
  return { kind: 'witness', value };
}

export function open(stop: Stop): Outcome {
  return { kind: 'open', stop };
}

/** What the per-type solvers ask of the search around them. */
export interface Search {
  readonly forge: Forge;
  readonly budget: Budget;
  readonly languages: Languages;
  readonly lookup: Lookup;
  /** A value of any type that satisfies the form. */
  solve(form: Form): Outcome;
  /** The form as it reads for values of one type: no type claims left, other types' atoms gone. */
  restrict(form: Form, type: 'string'): Form;
}

/** Remembers the first reason a search met, to report when it ends without an answer. */
export class Doubt {
  stop: Stop | undefined;

  note(outcome: Outcome): void {
    if (outcome.kind === 'open') this.stop ??= outcome.stop;
  }

  conclude(): Outcome {
    return this.stop === undefined ? EMPTY : open(this.stop);
  }
}
