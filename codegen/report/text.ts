/**
 * Words that come from a contract or a server nobody here wrote are hostile until shown harmlessly: control characters
 * drive terminals, invisible ones hide instructions, and line breaks forge lines of a log.
 */
import type { JsonValue } from '../model/types.ts';

// Control, format (bidirectional and zero-width), tag, private-use and unpaired surrogate characters.
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029\u115f\u1160\u3164\uffa0]/gu;

function spell(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** The text with unseen characters spelt out; line breaks and tabs stay. */
export function visible(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(UNSEEN, (character) => (character === '\n' || character === '\t' ? character : spell(character)));
}

/** The text on one line. */
export function oneLine(text: string): string {
  return visible(text).replaceAll('\n', '\\n').replaceAll('\t', ' ');
}

/** Cuts a long text and says how much is missing. */
export function clip(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return `${text.slice(0, limit).replace(/[\ud800-\udbff]$/u, '')}… (${text.length - limit} more characters)`;
}

/** A value on one line, clipped. */
export function brief(value: JsonValue, limit = 400): string {
  return clip(oneLine(JSON.stringify(value)), limit);
}

/** A value over several lines, clipped. */
export function pretty(value: JsonValue, limit = 20_000): string {
  return clip(visible(JSON.stringify(value, null, 2)), limit);
}

/** JSON whose bytes are safe to print: the same data, unseen characters as escapes. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll(UNSEEN, (character) =>
    character === '\n'
      ? character
      : [...Array(character.length).keys()]
          .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
          .join(''),
  );
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
