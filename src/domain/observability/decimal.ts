const PARTS = /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/;

/**
 * The exact decimal sum of non-negative numbers as they are written. Binary addition depends on the order of the
 * summands; costs must not, since batches arrive in any order.
 */
export function sumDecimals(numbers: readonly number[]): string {
  let scale = 0;
  let sum = 0n;
  for (const number of numbers) {
    const decimal = toDecimal(number);
    if (decimal.scale > scale) {
      sum *= 10n ** BigInt(decimal.scale - scale);
      scale = decimal.scale;
    }
    sum += decimal.digits * 10n ** BigInt(scale - decimal.scale);
  }
  const text = sum.toString().padStart(scale + 1, '0');
  return scale === 0 ? text : `${text.slice(0, -scale)}.${text.slice(-scale)}`;
}

function toDecimal(number: number): { digits: bigint; scale: number } {
  const [, whole = '0', fraction = '', exponent = '0'] = PARTS.exec(String(number)) ?? [];
  const scale = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction);
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 };
}
