const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|-?Infinity|NaN/g;

/** Whether a value of an answer is what DuckDB writes by hand, in the manner the contract promises. */
export function isSame(answered: unknown, byHand: string | null, type: string, isNested: boolean): boolean {
  if (answered === null || byHand === null) return answered === byHand;
  if (isNested) return isSameJson(answered, parseTokens(byHand));
  if (/^TIMESTAMP WITH TIME ZONE$/.test(type))
    return `${textOf(answered).replace('T', ' ').replace('Z', '')}+00` === byHand;
  if (type.startsWith('TIMESTAMP')) return textOf(answered).replace('T', ' ') === byHand;
  if (/^(?:DOUBLE|FLOAT)$/.test(type)) return isSameNumber(textOf(answered), spelled(byHand));
  if (type.startsWith('DECIMAL')) return isSameDecimal(textOf(answered), byHand);
  if (/INT/.test(type)) return isExactInteger(answered) && textOf(answered) === byHand;
  return textOf(answered) === byHand;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Beyond 2^53 a number has lost its digits before anybody looks at it. */
function isExactInteger(value: unknown): boolean {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

function isSameJson(answered: unknown, expected: unknown): boolean {
  if (Array.isArray(expected)) {
    return (
      Array.isArray(answered) &&
      answered.length === expected.length &&
      expected.every((item, index) => isSameJson(answered[index], item))
    );
  }
  if (typeof expected === 'object' && expected !== null) {
    if (expected instanceof Digits) return isSameDigits(answered, expected.text);
    if (typeof answered !== 'object' || answered === null) return false;
    const [left, right] = [Object.entries(answered), Object.entries(expected)];
    return (
      left.length === right.length &&
      right.every(([name, item], index) => left[index]?.[0] === name && isSameJson(left[index]?.[1], item))
    );
  }
  return (
    answered === expected ||
    (typeof answered === 'string' && typeof expected === 'string' && asTimestamp(answered) === expected)
  );
}

function isSameDigits(answered: unknown, digits: string): boolean {
  if (/^-?\d+$/.test(digits)) return isExactInteger(answered) && textOf(answered) === digits;
  return isSameNumber(textOf(answered), digits) || isSameDecimal(textOf(answered), digits);
}

function isSameNumber(answered: string, byHand: string): boolean {
  return Object.is(Number(answered), Number(byHand)) || (Number(answered) === 0 && Number(byHand) === 0);
}

function isSameDecimal(answered: string, byHand: string): boolean {
  return trimmed(answered) === trimmed(byHand);
}

function trimmed(decimal: string): string {
  return decimal.includes('.') ? decimal.replace(/\.?0+$/, '').replace(/^-?0$/, '0') : decimal;
}

/** DuckDB's words for numbers that are none, in ours. */
function spelled(text: string): string {
  return text.replace(/^nan$/, 'NaN').replace(/^(-?)inf$/, '$1Infinity');
}

function asTimestamp(text: string): string {
  return /^\d{4}-\d\d-\d\dT/.test(text) ? text.replace('T', ' ') : text;
}

class Digits {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const MARK = '\u0001';

/** JSON whose numbers keep their digits. */
function parseTokens(text: string): unknown {
  const marked = text.replaceAll(TOKEN, (token) => (token.startsWith('"') ? token : `"${MARK}${token}"`));
  return JSON.parse(marked.replaceAll(MARK, '\\u0001'), (_name, value: unknown) =>
    typeof value === 'string' && value.startsWith(MARK) ? new Digits(value.slice(1)) : value,
  );
}
