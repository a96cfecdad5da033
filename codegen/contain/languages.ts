import { CharSet, DFA, JS, type Concatenation, type Element, type NoParent, type TransitionIterator } from 'refa';

const MAX_CHARACTER = 0x10ffff;
const ANY = CharSet.all(MAX_CHARACTER);

/** A pattern outside what automata can express, or one too large for the bound on states. */
export class NotRegular extends Error {}

/** A state of the automaton under construction; `start` and `end` edges stand for `^` and `$`. */
interface State {
  readonly free: number[];
  readonly start: number[];
  readonly end: number[];
  readonly chars: [CharSet, number][];
}

/** Automata of patterns over code points. Kept for the life of a prover: building one costs more than using it. */
export class Languages {
  readonly #known = new Map<string, DFA | NotRegular>();
  readonly #states: number;

  constructor(states: number) {
    this.#states = states;
  }

  /** The strings in which the pattern matches somewhere, or those in which it does not. */
  matching(source: string, positive: boolean): DFA {
    const key = `${positive}:${source}`;
    const known = this.#known.get(key) ?? this.#build(source, positive);
    this.#known.set(key, known);
    if (known instanceof NotRegular) throw known;
    return known;
  }

  everything(): DFA {
    return DFA.all({ maxCharacter: MAX_CHARACTER });
  }

  intersect(left: DFA, right: DFA): DFA {
    return this.#bounded(() => {
      const both = DFA.fromIntersection(left, right, new DFA.LimitedNodeFactory(this.#states));
      both.minimize();
      return both;
    });
  }

  #build(source: string, positive: boolean): DFA | NotRegular {
    try {
      return this.#bounded(() => {
        const dfa = DFA.fromTransitionIterator(
          automaton(source, this.#states),
          { maxCharacter: MAX_CHARACTER },
          new DFA.LimitedNodeFactory(this.#states),
        );
        if (!positive) dfa.complement();
        dfa.minimize();
        return dfa;
      });
    } catch (error) {
      if (error instanceof NotRegular) return error;
      throw error;
    }
  }

  #bounded(work: () => DFA): DFA {
    try {
      return work();
    } catch (error) {
      if (error instanceof NotRegular) throw error;
      throw new NotRegular(error instanceof SyntaxError ? 'not a regular expression' : 'budget');
    }
  }
}

/**
 * An automaton without empty edges for "the pattern matches somewhere". `^` may be passed only before the first
 * character and `$` only after the last, which is exact because no other assertion is let in.
 */
function automaton(source: string, limit: number): TransitionIterator<number> {
  const parser = JS.Parser.fromLiteral({ source, flags: 'u' });
  const { expression } = parser.parse({ assertions: 'parse', backreferences: 'throw', maxBackreferenceWords: 0 });
  const build = new Builder(limit);
  const first = build.state();
  const last = build.state();
  build.at(first).chars.push([ANY, first]);
  build.at(last).chars.push([ANY, last]);
  build.alternatives(expression.alternatives, first, last);
  const initial = -1;
  const reach = (state: number): Set<number> =>
    state === initial ? build.closure(first, true, false) : build.closure(state, false, false);
  const outs = new Map<number, Map<number, CharSet>>();
  return {
    initial,
    stableOut: true,
    getOut: (state) => {
      const known = outs.get(state) ?? build.outgoing(reach(state));
      outs.set(state, known);
      return known;
    },
    isFinal: (state) =>
      (state === initial ? build.closure(first, true, true) : build.closure(state, false, true)).has(last),
  };
}

class Builder {
  readonly #states: State[] = [];
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  state(): number {
    if (this.#states.length >= this.#limit) throw new NotRegular('budget');
    return this.#states.push({ free: [], start: [], end: [], chars: [] }) - 1;
  }

  at(index: number): State {
    const state = this.#states[index];
    if (state === undefined) throw new RangeError(`no state ${index}`);
    return state;
  }

  alternatives(list: readonly NoParent<Concatenation>[], from: number, to: number): void {
    for (const { elements } of list) {
      let current = from;
      for (const element of elements) {
        const next = this.state();
        this.#element(element, current, next);
        current = next;
      }
      this.at(current).free.push(to);
    }
  }

  /** States reachable without reading a character; `^` is open at the start of the text, `$` at its end. */
  closure(from: number, start: boolean, end: boolean): Set<number> {
    const seen = new Set([from]);
    for (const index of seen) {
      const state = this.at(index);
      for (const next of state.free) seen.add(next);
      if (start) for (const next of state.start) seen.add(next);
      if (end) for (const next of state.end) seen.add(next);
    }
    return seen;
  }

  outgoing(states: Iterable<number>): Map<number, CharSet> {
    const out = new Map<number, CharSet>();
    for (const index of states) {
      for (const [chars, to] of this.at(index).chars) out.set(to, out.get(to)?.union(chars) ?? chars);
    }
    return out;
  }

  #element(element: NoParent<Element>, from: number, to: number): void {
    switch (element.type) {
      case 'CharacterClass':
        this.at(from).chars.push([element.characters, to]);
        return;
      case 'Alternation':
        this.alternatives(element.alternatives, from, to);
        return;
      case 'Quantifier':
        this.#repeat(element, from, to);
        return;
      case 'Assertion':
        this.at(from)[edge(element)].push(to);
        return;
      case 'Unknown':
        throw new NotRegular('the pattern uses a construct automata cannot express');
    }
  }

  #repeat(element: NoParent<Element> & { type: 'Quantifier' }, from: number, to: number): void {
    let current = from;
    const once = (): number => {
      const next = this.state();
      this.alternatives(element.alternatives, current, next);
      return next;
    };
    for (let done = 0; done < element.min; done += 1) current = once();
    if (element.max === Infinity) {
      const loop = this.state();
      this.at(current).free.push(loop);
      this.alternatives(element.alternatives, loop, loop);
      current = loop;
    } else {
      for (let done = element.min; done < element.max; done += 1) {
        this.at(current).free.push(to);
        current = once();
      }
    }
    this.at(current).free.push(to);
  }
}

/** `^` reads as "no character before", `$` as "no character after"; any other look-around is refused. */
function edge(element: NoParent<Element> & { type: 'Assertion' }): 'start' | 'end' {
  const [only, ...others] = element.alternatives;
  const [single, ...rest] = only?.elements ?? [];
  const plain = others.length === 0 && rest.length === 0 && single?.type === 'CharacterClass';
  if (!element.negate || !plain || !single.characters.isAll) {
    throw new NotRegular('the pattern looks around or uses a word boundary');
  }
  return element.kind === 'behind' ? 'start' : 'end';
}
