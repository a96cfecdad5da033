/** HTML that is safe by construction: whatever enters a template is escaped unless a template made it. */
import { visible } from './text.ts';

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

/** Text that is HTML already. Only `html` and `trusted` make one. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Piece = Markup | string | number | undefined | readonly Piece[];

export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Markup {
  return new Markup(strings.map((part, at) => (at === 0 ? part : `${show(pieces[at - 1])}${part}`)).join(''));
}

/** For text of our own, as the style sheet is. */
export function trusted(text: string): Markup {
  return new Markup(text);
}

function show(piece: Piece): string {
  if (piece === undefined) return '';
  if (piece instanceof Markup) return piece.text;
  if (typeof piece === 'number') return String(piece);
  if (typeof piece === 'string')
    return visible(piece).replaceAll(/[&<>"'`]/gu, (character) => ESCAPES[character] ?? '');
  return piece.map(show).join('');
}
