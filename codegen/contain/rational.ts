/** An exact fraction in lowest terms with a positive denominator. */
export interface Rational {
  readonly n: bigint;
  readonly d: bigint;
}

export const ONE: Rational = { n: 1n, d: 1n };

/** Reads a number by its shortest decimal text, so 0.1 is one tenth and not the nearest double. */
export function rational(value: number): Rational {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value));
  if (match === null) throw new RangeError(`${value} is not a finite number`);
  const [, sign = '', whole = '0', fraction = '', exponent = '0'] = match;
  const digits = BigInt(`${sign}${whole}${fraction}`);
  const shift = Number(exponent) - fraction.length;
  return shift >= 0 ? { n: digits * 10n ** BigInt(shift), d: 1n } : reduce(digits, 10n ** BigInt(-shift));
}

function reduce(n: bigint, d: bigint): Rational {
  const divisor = gcd(n < 0n ? -n : n, d);
  return divisor === 0n ? { n: 0n, d: 1n } : { n: n / divisor, d: d / divisor };
}

export function compare(a: Rational, b: Rational): number {
  const left = a.n * b.d;
  const right = b.n * a.d;
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

export function divide(a: Rational, b: Rational): Rational {
  const n = a.n * b.d;
  const d = a.d * b.n;
  return d < 0n ? reduce(-n, -d) : reduce(n, d);
}

export function multiply(a: Rational, b: Rational): Rational {
  return reduce(a.n * b.n, a.d * b.d);
}

export function add(a: Rational, b: Rational): Rational {
  return reduce(a.n * b.d + b.n * a.d, a.d * b.d);
}

export function isMultiple(value: Rational, of: Rational): boolean {
  return divide(value, of).d === 1n;
}

/** The smallest positive number that is a multiple of both. */
export function commonMultiple(a: Rational, b: Rational): Rational {
  const left = a.n * b.d;
  const right = b.n * a.d;
  return reduce((left / gcd(left, right)) * right, a.d * b.d);
}

export function floor(value: Rational): bigint {
  const quotient = value.n / value.d;
  return value.n < 0n && quotient * value.d !== value.n ? quotient - 1n : quotient;
}

export function ceil(value: Rational): bigint {
  return -floor({ n: -value.n, d: value.d });
}

/** The double that prints as this fraction, or undefined when no double means exactly it. */
export function toNumber(value: Rational): number | undefined {
  const number = approximate(value);
  if (number === undefined || !Number.isFinite(number)) return undefined;
  return compare(rational(number), value) === 0 ? number : undefined;
}

function approximate({ n, d }: Rational): number | undefined {
  if (d === 1n) return Number(n);
  let twos = 0;
  let fives = 0;
  let rest = d;
  for (; rest % 2n === 0n; rest /= 2n) twos += 1;
  for (; rest % 5n === 0n; rest /= 5n) fives += 1;
  if (rest !== 1n) return undefined;
  const places = Math.max(twos, fives);
  const scaled = n * 2n ** BigInt(places - twos) * 5n ** BigInt(places - fives);
  return Number(`${scaled}e-${places}`);
}

function gcd(a: bigint, b: bigint): bigint {
  let [x, y] = [a, b];
  while (y !== 0n) [x, y] = [y, x % y];
  return x;
}
