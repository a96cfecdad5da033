import type { CharSet, DFA } from 'refa';

interface Graph {
  readonly initial: number;
  readonly finals: ReadonlySet<number>;
  readonly out: readonly (readonly [number, CharSet])[][];
}

/** Bounds on looking: lengths tried, and steps through dead ends between two words. */
const MAX_LENGTH = 50_000;

export class WordsTooLong extends Error {}

/**
 * The words of an automaton whose length lies in the window, shortest first. The generator ends exactly when
 * there is no further word, so an empty run proves the language empty.
 */
export function* words(dfa: DFA, min: number, max: number): Generator<string> {
  const graph = numbered(dfa);
  // exact[n] holds the states from which a final state is exactly n characters away.
  const exact: ReadonlySet<number>[] = [graph.finals];
  const seen = new Map<string, number>();
  let idleSince = 0;
  for (let length = 0; length <= max; length += 1) {
    if (length > MAX_LENGTH) throw new WordsTooLong();
    const ends = exact[length] ?? new Set();
    if (ends.size === 0) return;
    if (length >= min && ends.has(graph.initial)) {
      idleSince = length + 1;
      yield* spell(graph, exact, graph.initial, length);
    }
    const key = [...ends].sort((a, b) => a - b).join(',');
    const before = seen.get(key);
    // The sets repeat from here on; a whole period beyond `min` without a word means there is none to come.
    if (before !== undefined && before >= min && before >= idleSince) return;
    if (before === undefined || before < min || before < idleSince) seen.set(key, length);
    exact.push(predecessors(graph, ends));
  }
}

function* spell(graph: Graph, exact: readonly ReadonlySet<number>[], from: number, left: number): Generator<string> {
  if (left === 0) {
    yield '';
    return;
  }
  // An explicit stack: a word may be thousands of characters long.
  const stack: { iterator: Iterator<[string, number]>; prefix: string }[] = [];
  stack.push({ iterator: steps(graph, exact, from, left), prefix: '' });
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const step = top.iterator.next();
    if (step.done === true) {
      stack.pop();
      continue;
    }
    const [char, to] = step.value;
    const text = top.prefix + char;
    const rest = left - stack.length;
    if (rest === 0) yield text;
    else stack.push({ iterator: steps(graph, exact, to, rest), prefix: text });
  }
}

function* steps(
  graph: Graph,
  exact: readonly ReadonlySet<number>[],
  from: number,
  left: number,
): Generator<[string, number]> {
  const useful = (graph.out[from] ?? []).filter(([to]) => exact[left - 1]?.has(to) === true);
  // One good character of every edge comes before the second of any: words stay readable and differ early.
  const readers = useful.map(([to, set]) => ({ to, chars: characters(set) }));
  const byTaste = readers.map((reader) => ({ ...reader, first: reader.chars.next() }));
  byTaste.sort((a, b) => rank(a.first.value) - rank(b.first.value));
  for (const { to, first } of byTaste) if (first.done !== true) yield [first.value, to];
  for (const { to, chars } of byTaste) for (const char of chars) yield [char, to];
}

const TASTE = 'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_./ ';

function rank(char: string | undefined): number {
  const at = char === undefined ? -1 : TASTE.indexOf(char);
  return at < 0 ? TASTE.length : at;
}

/** The characters of a set, readable ones first and lone surrogates last. */
function* characters(set: CharSet): Generator<string, undefined> {
  for (const char of TASTE) if (set.has(char.charCodeAt(0))) yield char;
  const surrogates: number[] = [];
  for (const { min, max } of set.ranges) {
    for (let code = min; code <= max; code += 1) {
      if (code >= 0xd800 && code <= 0xdfff) surrogates.push(code);
      else if (code > 0x7f || !TASTE.includes(String.fromCodePoint(code))) yield String.fromCodePoint(code);
    }
  }
  for (const code of surrogates) yield String.fromCodePoint(code);
  return undefined;
}

function numbered(dfa: DFA): Graph {
  const nodes = [...dfa.nodes()];
  const index = new Map(nodes.map((node, at) => [node, at]));
  const { getOut, initial, isFinal } = dfa.transitionIterator();
  const finals = new Set<number>();
  const out = nodes.map((node, at) => {
    if (isFinal(node)) finals.add(at);
    return [...getOut(node)].map(([to, set]) => [number(index, to), set] as const);
  });
  return { initial: number(index, initial), finals, out };
}

function number<T>(index: ReadonlyMap<T, number>, node: T): number {
  const at = index.get(node);
  if (at === undefined) throw new RangeError('the automaton refers to a state it does not list');
  return at;
}

function predecessors(graph: Graph, ends: ReadonlySet<number>): Set<number> {
  const found = new Set<number>();
  graph.out.forEach((edges, from) => {
    if (edges.some(([to]) => ends.has(to))) found.add(from);
  });
  return found;
}
