import type { Form } from './form.ts';
import {
  add,
  ceil,
  commonMultiple,
  compare,
  divide,
  floor,
  isMultiple,
  multiply,
  ONE,
  rational,
  toNumber,
  type Rational,
} from './rational.ts';

interface Bound {
  readonly at: Rational;
  readonly open: boolean;
}

interface NumberClaims {
  readonly low: Bound | undefined;
  readonly high: Bound | undefined;
  /** Every value is a multiple of this; undefined means any number will do. */
  readonly step: Rational | undefined;
  readonly notStep: readonly Rational[];
  readonly excluded: readonly Rational[];
}

export type NumberAnswer =
  { readonly kind: 'empty' } | { readonly kind: 'witness'; readonly value: number } | { readonly kind: 'open' };

const EMPTY: NumberAnswer = { kind: 'empty' };
const OPEN: NumberAnswer = { kind: 'open' };
/** Multiples looked at one by one before giving up on a crowded interval. */
const MAX_CANDIDATES = 20_000n;

/**
 * A number that meets every claim. The reasoning is over all fractions, so "empty" is certain; a witness must
 * also be exactly a double, and where none is found although fractions exist, the answer stays open.
 */
export function solveNumbers(atoms: readonly Form[]): NumberAnswer {
  const claims = gather(atoms);
  const { low, high, step } = claims;
  if (low !== undefined && high !== undefined) {
    const order = compare(low.at, high.at);
    if (order > 0 || (order === 0 && (low.open || high.open))) return EMPTY;
    if (order === 0) return allowed(claims, low.at) ? witness([low.at]) : EMPTY;
  }
  return step === undefined ? dense(claims) : stepped(claims, step);
}

function gather(atoms: readonly Form[]): NumberClaims {
  let low: Bound | undefined;
  let high: Bound | undefined;
  let step: Rational | undefined;
  const notStep: Rational[] = [];
  const excluded: Rational[] = [];
  for (const atom of atoms) {
    if (atom.kind === 'range') {
      const bound = { at: atom.bound, open: atom.open };
      if (atom.side === 'min') low = tighter(low, bound, 1);
      else high = tighter(high, bound, -1);
    } else if (atom.kind === 'multiple') {
      if (!atom.positive) notStep.push(atom.of);
      else step = step === undefined ? atom.of : commonMultiple(step, atom.of);
    } else if (atom.kind === 'values' && !atom.positive) {
      for (const value of atom.values) if (typeof value === 'number') excluded.push(rational(value));
    }
  }
  return { low, high, step, notStep, excluded };
}

function tighter(known: Bound | undefined, bound: Bound, sign: 1 | -1): Bound {
  if (known === undefined) return bound;
  const order = compare(bound.at, known.at) * sign;
  if (order === 0) return known.open ? known : bound;
  return order > 0 ? bound : known;
}

function allowed({ low, high, step, notStep, excluded }: NumberClaims, value: Rational): boolean {
  const inside = (bound: Bound | undefined, sign: 1 | -1): boolean => {
    if (bound === undefined) return true;
    const order = compare(value, bound.at) * sign;
    return bound.open ? order > 0 : order >= 0;
  };
  return (
    inside(low, 1) &&
    inside(high, -1) &&
    (step === undefined || isMultiple(value, step)) &&
    notStep.every((of) => !isMultiple(value, of)) &&
    excluded.every((other) => compare(value, other) !== 0)
  );
}

/** Multiples k·step: a finite run is walked, an endless one always holds k ≡ 1 modulo every forbidden divisor. */
function stepped(claims: NumberClaims, step: Rational): NumberAnswer {
  const { low, high } = claims;
  // When step is itself a multiple of a forbidden step, so is every candidate.
  if (claims.notStep.some((of) => isMultiple(step, of))) return EMPTY;
  const first = low === undefined ? undefined : above(divide(low.at, step), low.open);
  const last = high === undefined ? undefined : beneath(divide(high.at, step), high.open);
  if (first !== undefined && last !== undefined && first > last) return EMPTY;
  const [start, direction] = first !== undefined ? [first, 1n] : last !== undefined ? [last, -1n] : [0n, 1n];
  const finite = first !== undefined && last !== undefined;
  const found: Rational[] = [];
  for (let done = 0n; done < MAX_CANDIDATES; done += 1n) {
    const k = start + done * direction;
    if (finite && k > last) return found.length === 0 ? EMPTY : witness(found);
    const value = multiply(step, { n: k, d: 1n });
    if (!allowed(claims, value)) continue;
    found.push(value);
    if (toNumber(value) !== undefined || found.length > 50) return witness(found);
  }
  return found.length === 0 ? OPEN : witness(found);
}

/** An interval with an inside: infinitely many fractions, so it is never empty. */
function dense(claims: NumberClaims): NumberAnswer {
  const { low, high } = claims;
  const candidates: Rational[] = [];
  const origin = low?.at ?? (high === undefined ? { n: 0n, d: 1n } : add(high.at, { n: -1n, d: 1n }));
  const width = low !== undefined && high !== undefined ? add(high.at, { n: -low.at.n, d: low.at.d }) : ONE;
  const whole = { n: ceil(origin), d: 1n };
  for (let step = 0n; step < 8n; step += 1n) candidates.push(add(whole, { n: step, d: 1n }));
  candidates.push(origin, ...(high === undefined ? [] : [high.at, { n: floor(high.at), d: 1n }]));
  for (const parts of [2n, 4n, 10n, 100n, 1000n, 1_000_000n]) {
    for (const share of [1n, 3n, 7n, 9n]) {
      if (share < parts) candidates.push(add(origin, multiply(width, { n: share, d: parts })));
    }
  }
  for (let places = 1; places <= 16; places += 1) {
    const grain = { n: 1n, d: 10n ** BigInt(places) };
    const k = floor(divide(origin, grain));
    for (const offset of [1n, 3n, 7n]) candidates.push(multiply(grain, { n: k + offset, d: 1n }));
  }
  return witness(candidates.filter((value) => allowed(claims, value)));
}

function witness(candidates: readonly Rational[]): NumberAnswer {
  for (const candidate of candidates) {
    const value = toNumber(candidate);
    if (value !== undefined) return { kind: 'witness', value };
  }
  return OPEN;
}

function above(value: Rational, open: boolean): bigint {
  const k = ceil(value);
  return open && compare({ n: k, d: 1n }, value) === 0 ? k + 1n : k;
}

function beneath(value: Rational, open: boolean): bigint {
  const k = floor(value);
  return open && compare({ n: k, d: 1n }, value) === 0 ? k - 1n : k;
}
