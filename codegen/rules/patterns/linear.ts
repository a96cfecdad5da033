/**
 * Shows that a backtracking engine matches an anchored pattern in linear time. After each character at most one next
 * position of the pattern may fit (its Glushkov automaton is deterministic), so there is never a second way to try.
 * A few choices outside of loops are harmless: they multiply the time by a constant.
 */
import { overlap } from './char-set.ts';
import type { CharSet } from './char-set.ts';
import { parsePattern, Unjudged } from './parse.ts';
import type { Term } from './parse.ts';

const MAX_POSITIONS = 2000;
const MAX_COPIES = 64;
const MAX_CHOICES = 6;

interface Part {
  readonly nullable: boolean;
  readonly first: readonly number[];
  readonly last: readonly number[];
}

const NOTHING: Part = { nullable: true, first: [], last: [] };

class Automaton {
  readonly sets: CharSet[] = [];
  readonly follow: Set<number>[] = [];

  build(term: Term): Part {
    switch (term.kind) {
      case 'empty':
      case 'anchor':
        return NOTHING;
      case 'set':
        return this.#position(term.set);
      case 'sequence':
        return this.#sequence(term.terms.map((one) => () => this.build(one)));
      case 'choice': {
        const parts = term.terms.map((one) => this.build(one));
        return {
          nullable: parts.some(({ nullable }) => nullable),
          first: parts.flatMap(({ first }) => first),
          last: parts.flatMap(({ last }) => last),
        };
      }
      case 'repeat':
        return this.#repeat(term.term, term.least, term.most);
    }
  }

  #position(set: CharSet): Part {
    if (this.sets.length >= MAX_POSITIONS) throw new Unjudged('too large');
    const at = this.sets.length;
    this.sets.push(set);
    this.follow.push(new Set());
    return { nullable: false, first: [at], last: [at] };
  }

  #link(from: readonly number[], to: readonly number[]): void {
    for (const one of from) for (const other of to) this.follow[one]?.add(other);
  }

  #sequence(makers: readonly (() => Part)[]): Part {
    let whole = NOTHING;
    for (const make of makers) {
      const next = make();
      this.#link(whole.last, next.first);
      whole = {
        nullable: whole.nullable && next.nullable,
        first: whole.nullable ? [...whole.first, ...next.first] : whole.first,
        last: next.nullable ? [...whole.last, ...next.last] : next.last,
      };
    }
    return whole;
  }

  #loop(term: Term): Part {
    const part = this.build(term);
    // What may match nothing can match nothing again and again: the number of ways is no longer bounded.
    if (part.nullable) throw new Unjudged('empty loop');
    this.#link(part.last, part.first);
    return { ...part, nullable: true };
  }

  #repeat(term: Term, least: number, most: number): Part {
    if (most === 1 && least === 0) return { ...this.build(term), nullable: true };
    if (least > MAX_COPIES) return { ...this.#loop(term), nullable: false };
    const copies = Array.from({ length: least }, () => () => this.build(term));
    if (most === least) return this.#sequence(copies);
    return this.#sequence([...copies, () => this.#loop(term)]);
  }

  /** Positions that can come back to themselves. */
  inLoop(position: number): boolean {
    const seen = new Set<number>();
    const queue = [...(this.follow[position] ?? [])];
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      if (next === position) return true;
      if (seen.has(next)) continue;
      seen.add(next);
      queue.push(...(this.follow[next] ?? []));
    }
    return false;
  }

  /** Pairs of ways that some character leaves open. */
  choices(from: Iterable<number>): number {
    const ways = [...new Set(from)];
    let count = 0;
    for (const [index, one] of ways.entries()) {
      for (const other of ways.slice(index + 1)) {
        if (overlap(this.sets[one] ?? [], this.sets[other] ?? [])) count += 1;
      }
    }
    return count;
  }
}

/** True when linear time is shown; false when this analysis cannot tell. */
export function isProvablyLinear(pattern: string): boolean {
  try {
    const automaton = new Automaton();
    const whole = automaton.build(parsePattern(pattern));
    let choices = automaton.choices(whole.first);
    for (const [position, next] of automaton.follow.entries()) {
      const open = automaton.choices(next);
      if (open > 0 && automaton.inLoop(position)) return false;
      choices += open;
    }
    return choices <= MAX_CHOICES;
  } catch (error) {
    if (error instanceof Unjudged) return false;
    throw error;
  }
}
