import { afterString, beforeString } from './json-text.ts';

const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|-?Infinity|NaN/g;
const SIGNIFICANT_DIGITS = 17;

/** Parses JSON as the engine writes it, keeping as text every number whose digits a double would lose or that is none. */
export function parseExactJson(text: string): unknown {
  const parts: string[] = [];
  // A loop, because an expression for whole strings runs out of stack in one of some millions of characters.
  for (let at = 0; at < text.length;) {
    const start = beforeString(text, at);
    parts.push(text.slice(at, start).replaceAll(NUMBER, (token) => (isSafeNumber(token) ? token : `"${token}"`)));
    at = afterString(text, start);
    parts.push(text.slice(start, at));
  }
  return JSON.parse(parts.join(''));
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
