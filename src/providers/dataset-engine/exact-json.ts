import { mapOutsideStrings } from '../../kernel/json-outside.ts';

const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|-?Infinity|NaN/g;
const SIGNIFICANT_DIGITS = 17;

/** Parses JSON as the engine writes it, keeping as text every number whose digits a double would lose or that is none. */
export function parseExactJson(text: string): unknown {
  const exact = mapOutsideStrings(text, (outside) =>
    outside.replaceAll(NUMBER, (token) => (isSafeNumber(token) ? token : `"${token}"`)),
  );
  return JSON.parse(exact);
}

function isSafeNumber(token: string): boolean {
  const value = Number(token);
  if (!Number.isFinite(value)) return false;
  if (token.length < SIGNIFICANT_DIGITS - 2) return true;
  if (/^-?\d+$/.test(token)) return Number.isSafeInteger(value);
  const digits = token
    .replace(/[eE].*$/, '')
    .replaceAll(/[-.]/g, '')
    .replace(/^0+/, '');
  return digits.length <= SIGNIFICANT_DIGITS;
}
