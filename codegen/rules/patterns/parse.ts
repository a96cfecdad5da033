import { classEscape, complement, DOT, union } from './char-set.ts';
import type { CharSet } from './char-set.ts';

export type Term =
  | { readonly kind: 'empty' }
  | { readonly kind: 'anchor'; readonly side: 'start' | 'end' }
  | { readonly kind: 'set'; readonly set: CharSet }
  | { readonly kind: 'sequence'; readonly terms: readonly Term[] }
  | { readonly kind: 'choice'; readonly terms: readonly Term[] }
  | { readonly kind: 'repeat'; readonly term: Term; readonly least: number; readonly most: number };

/** Thrown for syntax whose running time this analysis does not judge: lookarounds, backreferences, properties. */
export class Unjudged extends Error {}

const CONTROL: Readonly<Record<string, number>> = { t: 0x09, n: 0x0a, v: 0x0b, f: 0x0c, r: 0x0d };

function single(point: number): CharSet {
  return [[point, point]];
}

class PatternParser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  parse(): Term {
    const term = this.#choice();
    if (this.#at < this.#text.length) throw new Unjudged('unbalanced');
    return term;
  }

  #peek(length = 1): string {
    return this.#text.slice(this.#at, this.#at + length);
  }

  #take(expected: string): boolean {
    if (!this.#text.startsWith(expected, this.#at)) return false;
    this.#at += expected.length;
    return true;
  }

  #point(): number {
    const point = this.#text.codePointAt(this.#at);
    if (point === undefined) throw new Unjudged('unexpected end');
    this.#at += point > 0xffff ? 2 : 1;
    return point;
  }

  #choice(): Term {
    const terms = [this.#sequence()];
    while (this.#take('|')) terms.push(this.#sequence());
    return terms.length === 1 && terms[0] !== undefined ? terms[0] : { kind: 'choice', terms };
  }

  #sequence(): Term {
    const terms: Term[] = [];
    while (this.#at < this.#text.length && this.#peek() !== '|' && this.#peek() !== ')') terms.push(this.#quantified());
    return { kind: 'sequence', terms };
  }

  #quantified(): Term {
    const term = this.#atom();
    let bounds: readonly [number, number] | undefined;
    if (this.#take('*')) bounds = [0, Infinity];
    else if (this.#take('+')) bounds = [1, Infinity];
    else if (this.#take('?')) bounds = [0, 1];
    else {
      const counted = /^\{(\d+)(,(\d*))?\}/u.exec(this.#text.slice(this.#at));
      if (counted === null) return term;
      this.#at += counted[0].length;
      const least = Number(counted[1]);
      const most = counted[2] === undefined ? least : counted[3] === '' ? Infinity : Number(counted[3]);
      bounds = [least, most];
    }
    this.#take('?');
    return { kind: 'repeat', term, least: bounds[0], most: bounds[1] };
  }

  #atom(): Term {
    if (this.#take('^')) return { kind: 'anchor', side: 'start' };
    if (this.#take('$')) return { kind: 'anchor', side: 'end' };
    if (this.#take('.')) return { kind: 'set', set: DOT };
    if (this.#take('(')) return this.#group();
    if (this.#take('[')) return { kind: 'set', set: this.#class() };
    if (this.#take('\\')) return { kind: 'set', set: this.#escape() };
    return { kind: 'set', set: single(this.#point()) };
  }

  #group(): Term {
    const named = /^\?<[A-Za-z_$][\w$]*>/u.exec(this.#text.slice(this.#at));
    if (named !== null) this.#at += named[0].length;
    else if (!this.#take('?:') && this.#peek() === '?') throw new Unjudged('lookaround');
    const term = this.#choice();
    if (!this.#take(')')) throw new Unjudged('unbalanced');
    return term;
  }

  #escape(): CharSet {
    const letter = String.fromCodePoint(this.#point());
    const named = classEscape(letter);
    if (named !== undefined) return named;
    const control = CONTROL[letter];
    if (control !== undefined) return single(control);
    if (letter === '0') return single(0);
    if (letter === 'x' || letter === 'u') {
      const hex = /^(?:\{([0-9A-Fa-f]+)\}|([0-9A-Fa-f]{4})|([0-9A-Fa-f]{2}))/u.exec(
        this.#text.slice(this.#at, this.#at + (letter === 'x' ? 2 : 12)),
      );
      if (hex === null) throw new Unjudged('escape');
      this.#at += hex[0].length;
      const point = Number.parseInt(hex[1] ?? hex[2] ?? hex[3] ?? '', 16);
      // Half of a surrogate pair joins with what follows; such patterns go to the slower judge.
      if (point >= 0xd800 && point <= 0xdfff) throw new Unjudged('surrogate');
      return single(point);
    }
    if (/[A-Za-z1-9]/u.test(letter)) throw new Unjudged('escape');
    return single(letter.codePointAt(0) ?? 0);
  }

  #class(): CharSet {
    const negated = this.#take('^');
    const parts: CharSet[] = [];
    while (!this.#take(']')) {
      const low = this.#classMember();
      if (this.#peek() === '-' && this.#peek(2) !== '-]' && this.#at + 1 < this.#text.length) {
        this.#at += 1;
        const high = this.#classMember();
        parts.push([[low[0]?.[0] ?? 0, high[0]?.[0] ?? 0]]);
      } else parts.push(low);
    }
    const set = union(...parts);
    return negated ? complement(set) : set;
  }

  #classMember(): CharSet {
    if (this.#take('\\b')) return single(0x08);
    if (this.#take('\\-')) return single(0x2d);
    return this.#take('\\') ? this.#escape() : single(this.#point());
  }
}

export function parsePattern(pattern: string): Term {
  return new PatternParser(pattern).parse();
}

/** Whether every way through the pattern begins with `^` and ends with `$`. */
export function isAnchored(term: Term, side: 'start' | 'end'): boolean {
  switch (term.kind) {
    case 'anchor':
      return term.side === side;
    case 'sequence': {
      const edge = side === 'start' ? term.terms[0] : term.terms.at(-1);
      return edge !== undefined && isAnchored(edge, side);
    }
    case 'choice':
      return term.terms.every((one) => isAnchored(one, side));
    case 'repeat':
    case 'set':
    case 'empty':
      return false;
  }
}
