/** A short text that matches a pattern, for patterns made of characters, classes, groups, choices and counts. */
export function patternSample(pattern: string, least = 0): string | undefined {
  const reader = new PatternReader(pattern);
  const text = reader.choice();
  if (text === undefined || !reader.atEnd()) return undefined;
  const padded = text.length >= least ? text : text + (text.at(-1) ?? 'a').repeat(least - text.length);
  return [padded, text].find((one) => one.length >= least && new RegExp(pattern, 'u').test(one));
}

const SHORTHAND: Readonly<Record<string, string>> = { d: '0', w: 'a', s: ' ', S: 'a', D: 'a', W: ' ' };
const CANDIDATES = Array.from('a0A-_ .:/~x9');

class PatternReader {
  readonly #characters: readonly string[];
  #at = 0;

  constructor(pattern: string) {
    this.#characters = Array.from(pattern);
  }

  atEnd(): boolean {
    return this.#at === this.#characters.length;
  }

  /** The first alternative; the others are read over. */
  choice(): string | undefined {
    const first = this.#sequence();
    if (first === undefined) return undefined;
    while (this.#peek() === '|') {
      this.#at += 1;
      if (this.#sequence() === undefined) return undefined;
    }
    return first;
  }

  #sequence(): string | undefined {
    let text = '';
    while (!this.atEnd() && this.#peek() !== '|' && this.#peek() !== ')') {
      const part = this.#atom();
      if (part === undefined) return undefined;
      text += part.repeat(this.#count());
    }
    return text;
  }

  #atom(): string | undefined {
    const character = this.#next();
    if (character === '^' || character === '$') return '';
    if (character === '.') return 'a';
    if (character === '\\') return this.#escape();
    if (character === '[') return this.#characterClass();
    if (character !== '(') return character;
    if (this.#peek() === '?') {
      this.#at += 1;
      if (this.#next() !== ':') return undefined;
    }
    const inner = this.choice();
    return this.#next() === ')' ? inner : undefined;
  }

  #escape(): string | undefined {
    const character = this.#next();
    if (character === undefined || /[bBpPkuxc1-9]/u.test(character)) return undefined;
    return SHORTHAND[character] ?? character;
  }

  #characterClass(): string | undefined {
    const start = this.#at - 1;
    while (!this.atEnd() && this.#peek() !== ']') this.#at += this.#peek() === '\\' ? 2 : 1;
    this.#at += 1;
    const source = this.#characters.slice(start, this.#at).join('');
    try {
      const accepts = new RegExp(`^${source}$`, 'u');
      return CANDIDATES.find((candidate) => accepts.test(candidate)) ?? source.charAt(1);
    } catch {
      return undefined;
    }
  }

  /** How often the smallest text repeats the part before. */
  #count(): number {
    const mark = this.#peek();
    if (mark === '+' || mark === '*' || mark === '?') {
      this.#at += 1;
      if (this.#peek() === '?') this.#at += 1;
      return mark === '+' ? 1 : 0;
    }
    if (mark !== '{') return 1;
    const end = this.#characters.indexOf('}', this.#at);
    const least = Number.parseInt(this.#characters.slice(this.#at + 1, end).join(''), 10);
    this.#at = end + 1;
    return least;
  }

  #peek(): string | undefined {
    return this.#characters[this.#at];
  }

  #next(): string | undefined {
    const character = this.#characters[this.#at];
    this.#at += 1;
    return character;
  }
}
