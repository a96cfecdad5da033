const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const LONG_RUN = /\d{19}/;
/** What a number or an escape may end with that goes on in the next piece. */
const OPEN_END = /[-+.eE\d]{1,400}$/;
const LOOK_BACK = 400;
const LARGEST = 2n ** 64n - 1n;
const SMALLEST = -(2n ** 63n);

/**
 * JSON text on its way to the engine, piece by piece. Whole numbers of more than 64 bits become text on the way, because
 * the engine would read them as doubles and lose digits.
 */
export class LongIntegers {
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
    const isPlain = !LONG_RUN.test(text);
    const parts: string[] = [];
    for (let at = 0; at < text.length;) {
      const end = this.#isInString ? afterString(text, at) : beforeString(text, at);
      if (!isPlain) parts.push(this.#isInString ? text.slice(at, end) : withTextForLong(text.slice(at, end)));
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

/** The end of the string whose content begins at `from`, with its quote. */
function afterString(text: string, from: number): number {
  for (let quote = text.indexOf('"', from); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    if (!isEscaped(text, quote, from)) return quote + 1;
  }
  return text.length;
}

function isEscaped(text: string, at: number, from: number): boolean {
  let backslashes = 0;
  for (let before = at - 1; before >= from && text[before] === '\\'; before -= 1) backslashes += 1;
  return backslashes % 2 === 1;
}

/** How many characters at the end can only be understood with those that follow. */
function openEnd(text: string): number {
  let backslashes = 0;
  while (text[text.length - 1 - backslashes] === '\\') backslashes += 1;
  if (backslashes > 0) return backslashes;
  return OPEN_END.exec(text.slice(-LOOK_BACK))?.[0].length ?? 0;
}

function withTextForLong(outside: string): string {
  return outside.replaceAll(NUMBER, (token) => (isTooLong(token) ? `"${token}"` : token));
}

function isTooLong(token: string): boolean {
  if (!/^-?\d{19,}$/.test(token)) return false;
  const value = BigInt(token);
  return value > LARGEST || value < SMALLEST;
}
