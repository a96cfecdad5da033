/** Sets of code points as sorted, disjoint, inclusive ranges. */
export type CharSet = readonly (readonly [low: number, high: number])[];

const LAST = 0x10ffff;

export function union(...sets: readonly CharSet[]): CharSet {
  const ranges = sets.flat().sort((left, right) => left[0] - right[0]);
  const merged: [number, number][] = [];
  for (const [low, high] of ranges) {
    const last = merged.at(-1);
    if (last !== undefined && low <= last[1] + 1) last[1] = Math.max(last[1], high);
    else merged.push([low, high]);
  }
  return merged;
}

export function complement(set: CharSet): CharSet {
  const rest: [number, number][] = [];
  let next = 0;
  for (const [low, high] of union(set)) {
    if (low > next) rest.push([next, low - 1]);
    next = high + 1;
  }
  if (next <= LAST) rest.push([next, LAST]);
  return rest;
}

export function overlap(left: CharSet, right: CharSet): boolean {
  let i = 0;
  let j = 0;
  for (;;) {
    const a = left[i];
    const b = right[j];
    if (a === undefined || b === undefined) return false;
    if (a[0] <= b[1] && b[0] <= a[1]) return true;
    if (a[1] < b[1]) i += 1;
    else j += 1;
  }
}

function codes(...points: readonly number[]): CharSet {
  return union(points.map((point) => [point, point] as const));
}

const DIGITS: CharSet = [[0x30, 0x39]];
const WORD: CharSet = union(DIGITS, [[0x41, 0x5a]], codes(0x5f), [[0x61, 0x7a]]);
const LINE_ENDS = codes(0x0a, 0x0d, 0x2028, 0x2029);
const SPACE = union(
  [[0x09, 0x0d]],
  [[0x2000, 0x200a]],
  codes(0x20, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff),
);

export const DOT = complement(LINE_ENDS);

/** The set a one-letter class escape stands for. */
export function classEscape(letter: string): CharSet | undefined {
  const sets: Readonly<Record<string, CharSet>> = {
    d: DIGITS,
    D: complement(DIGITS),
    w: WORD,
    W: complement(WORD),
    s: SPACE,
    S: complement(SPACE),
  };
  return sets[letter];
}
