/** Why a question stays open: the keyword that stopped the engine, where it stands and what about it. */
export interface Stop {
  readonly keyword: string;
  readonly path: string;
  readonly reason: string;
}

/** Thrown where an answer cannot be given; caught by the search, which then claims nothing. */
export class Undecided extends Error {
  readonly stop: Stop;

  constructor(stop: Stop) {
    super(`${stop.keyword} at ${stop.path === '' ? '/' : stop.path}: ${stop.reason}`);
    this.name = 'Undecided';
    this.stop = stop;
  }
}

/** Thrown when a bound on work is reached. It ends the whole question, not one branch of it. */
export class BudgetSpent extends Undecided {}

/** Thrown for a document that is no schema: the caller's fault, never a verdict. */
export class SchemaFault extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SchemaFault';
  }
}

export interface Limits {
  /** Units of search work over the whole question. */
  readonly steps: number;
  /** Nesting of values a witness may have while it is looked for. */
  readonly depth: number;
  /** Branches opened while one disjunction is taken apart. */
  readonly branches: number;
  /** States one automaton may have. */
  readonly states: number;
}

export const DEFAULT_LIMITS: Limits = { steps: 200_000, depth: 60, branches: 20_000, states: 5_000 };

export class Budget {
  readonly limits: Limits;
  #steps = 0;

  constructor(limits: Limits) {
    this.limits = limits;
  }

  get steps(): number {
    return this.#steps;
  }

  spend(units: number, stop: () => Stop): void {
    this.#steps += units;
    if (this.#steps > this.limits.steps) throw new BudgetSpent({ ...stop(), reason: 'budget' });
  }
}
