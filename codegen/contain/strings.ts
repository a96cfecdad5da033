import type { DFA } from 'refa';
import { formatLanguage, formatSamples } from './formats.ts';
import type { Form } from './form.ts';
import { holds, type Lookup } from './holds.ts';
import { NotRegular, type Languages } from './languages.ts';
import { Undecided, type Stop } from './stop.ts';
import { words, WordsTooLong } from './words.ts';

/** Strings looked at one by one where a claim can only be tested. */
const MAX_TRIES = 400;

export interface StringWorld {
  readonly languages: Languages;
  readonly lookup: Lookup;
}

/**
 * The strings that meet every claim, shortest first. The generator ends exactly when there are no more; it
 * throws Undecided where that cannot be told.
 */
export function* strings(atoms: readonly Form[], world: StringWorld): Generator<string> {
  const { min, max } = window(atoms);
  if (min > max) return;
  const seen = new Set<string>();
  const fits = (text: string): boolean => {
    const verdicts = atoms.map((atom) => holds(atom, text, world.lookup));
    if (verdicts.includes(false)) return false;
    const open = atoms.find((_, at) => verdicts[at] === undefined);
    if (open !== undefined) throw new Undecided(stopOf(open, world.lookup, 'the format is not known here'));
    return true;
  };
  for (const sample of samples(atoms)) {
    if (fits(sample) && !seen.has(sample)) {
      seen.add(sample);
      yield sample;
    }
  }
  let misses = 0;
  const { dfa, blocked } = language(atoms, world);
  for (const text of candidates(dfa, { min, max }, () => hardest(atoms, world.lookup))) {
    // Listed exceptions are finite, so stepping over them is no sign of a search gone astray.
    if (seen.has(text) || isListed(text, atoms)) continue;
    if (fits(text)) {
      misses = 0;
      yield text;
    } else {
      misses += 1;
      if (misses > MAX_TRIES) throw new Undecided(blocked ?? hardest(atoms, world.lookup));
    }
  }
}

function isListed(text: string, atoms: readonly Form[]): boolean {
  return atoms.some((atom) => atom.kind === 'values' && !atom.positive && atom.keys.has(JSON.stringify(text)));
}

function* candidates(dfa: DFA, { min, max }: { min: number; max: number }, stop: () => Stop): Generator<string> {
  try {
    yield* words(dfa, min, max);
  } catch (error) {
    if (error instanceof WordsTooLong) throw new Undecided({ ...stop(), reason: 'budget' });
    throw error;
  }
}

/**
 * A language that holds every fitting string: exact for regular patterns, an upper bound for the rest, which are
 * tested string by string. `blocked` tells which claim could not be turned into an automaton.
 */
function language(atoms: readonly Form[], world: StringWorld): { dfa: DFA; blocked: Stop | undefined } {
  let all: DFA | undefined;
  let blocked: Stop | undefined;
  const meet = (source: string, positive: boolean): void => {
    const next = world.languages.matching(source, positive);
    all = all === undefined ? next : world.languages.intersect(all, next);
  };
  for (const atom of atoms) {
    try {
      if (atom.kind === 'pattern') meet(atom.source, atom.positive);
      if (atom.kind === 'format') {
        const known = formatLanguage(atom.name);
        if (known !== undefined && (atom.positive || known.exact)) meet(known.source, atom.positive);
      }
    } catch (error) {
      if (!(error instanceof NotRegular)) throw error;
      blocked ??= stopOf(atom, world.lookup, error.message);
    }
  }
  return { dfa: all ?? world.languages.everything(), blocked };
}

function window(atoms: readonly Form[]): { min: number; max: number } {
  let min = 0;
  let max = Infinity;
  for (const atom of atoms) {
    if (atom.kind !== 'size' || atom.of !== 'string') continue;
    min = Math.max(min, atom.min);
    max = Math.min(max, atom.max);
  }
  return { min, max };
}

function samples(atoms: readonly Form[]): readonly string[] {
  const wanted = atoms.flatMap((atom) => (atom.kind === 'format' && atom.positive ? formatSamples(atom.name) : []));
  const unwanted = atoms.some((atom) => atom.kind === 'format' && !atom.positive);
  return unwanted ? [...wanted, 'a', '', '?', '%'] : wanted;
}

function hardest(atoms: readonly Form[], lookup: Lookup): Stop {
  const atom = atoms.find(({ kind }) => kind === 'format') ?? atoms.find(({ kind }) => kind === 'pattern');
  return atom === undefined
    ? { keyword: 'maxLength', path: '', reason: 'budget' }
    : stopOf(atom, lookup, 'no string was found, nor the absence of one shown');
}

function stopOf(atom: Form, lookup: Lookup, reason: string): Stop {
  if (atom.kind === 'format') return { keyword: 'format', path: lookup.siteOf(`format:${atom.name}`), reason };
  if (atom.kind === 'pattern') return { keyword: 'pattern', path: lookup.siteOf(`pattern:${atom.source}`), reason };
  return { keyword: atom.kind, path: '', reason };
}
