import { afterString, isEscaped } from '../../kernel/json-outside.ts';

const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const LONG_RUN = /\d{19}/;
/** Looked for from its beginning only: a long run of space must not be looked at from each of its characters. */
const SPACE_BEFORE_COMMA = /(?<![ \t\r\n])([ \t\r\n]+),/g;
const HAS_SPACE_BEFORE_COMMA = /[ \t\r\n],/;
/** What a number or an escape may end with that goes on in the next piece, or space that a comma follows there. */
const OPEN_END = /(?:[-+.eE\d]{1,400}|[ \t\r\n]{1,400})$/;
const LOOK_BACK = 400;
const LARGEST = 2n ** 64n - 1n;
const SMALLEST = -(2n ** 63n);

/**
 * JSON text on its way to the engine, piece by piece, with what the engine does not read as it is meant. Whole numbers of
 * more than 64 bits become text, because they would be read as doubles and lose digits. A comma changes places with the
 * space before it, because one of its buffers may end between the two, and then a long array is refused.
 */
export class JsonText {
  #held = '';
  #isInString = false;

  /** The text that is settled; the end of a piece may be held back until the next one. */
  push(piece: string): string {
    const text = this.#held + piece;
    const settled = text.length - openEnd(text);
    this.#held = text.slice(settled);
    return this.#pass(text.slice(0, settled));
  }

  end(): string {
    const rest = this.#held;
    this.#held = '';
    return this.#pass(rest);
  }

  #pass(text: string): string {
    const isPlain = !LONG_RUN.test(text) && !HAS_SPACE_BEFORE_COMMA.test(text);
    const parts: string[] = [];
    for (let at = 0; at < text.length;) {
      const end = this.#isInString ? afterString(text, at) : beforeString(text, at);
      if (!isPlain) parts.push(this.#isInString ? text.slice(at, end) : readable(text.slice(at, end)));
      // Both kinds of part end with a quote, unless the text ends first.
      if (text[end - 1] === '"' && !(this.#isInString && isEscaped(text, end - 1, at)))
        this.#isInString = !this.#isInString;
      at = end;
    }
    return isPlain ? text : parts.join('');
  }
}

/** The end of the part outside strings that begins at `from`, with the quote that ends it. */
function beforeString(text: string, from: number): number {
  const quote = text.indexOf('"', from);
  return quote === -1 ? text.length : quote + 1;
}

/** How many characters at the end can only be understood with those that follow. */
function openEnd(text: string): number {
  let backslashes = 0;
  while (text[text.length - 1 - backslashes] === '\\') backslashes += 1;
  if (backslashes > 0) return backslashes;
  return OPEN_END.exec(text.slice(-LOOK_BACK))?.[0].length ?? 0;
}

/** As many characters as before, but for the quotes around numbers. */
function readable(outside: string): string {
  return outside
    .replaceAll(NUMBER, (token) => (isTooLong(token) ? `"${token}"` : token))
    .replaceAll(SPACE_BEFORE_COMMA, ',$1');
}

function isTooLong(token: string): boolean {
  if (!/^-?\d{19,}$/.test(token)) return false;
  const value = BigInt(token);
  return value > LARGEST || value < SMALLEST;
}
