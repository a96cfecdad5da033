const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|-?Infinity|NaN/g;
const SIGNIFICANT_DIGITS = 17;

/** Parses JSON as the engine writes it, keeping as text every number whose digits a double would lose or that is none. */
export function parseExactJson(text: string): unknown {
  const safe = text.replaceAll(STRING_OR_NUMBER, (token) => (isSafeNumber(token) ? token : `"${token}"`));
  return JSON.parse(safe);
}

function isSafeNumber(token: string): boolean {
  if (token.startsWith('"') || token.length < SIGNIFICANT_DIGITS - 2) {
    return token.startsWith('"') || Number.isFinite(Number(token));
  }
  const value = Number(token);
  if (!Number.isFinite(value)) return false;
  if (/^-?\d+$/.test(token)) return Number.isSafeInteger(value);
  const digits = token
    .replace(/[eE].*$/, '')
    .replaceAll(/[-.]/g, '')
    .replace(/^0+/, '');
  return digits.length <= SIGNIFICANT_DIGITS;
}
