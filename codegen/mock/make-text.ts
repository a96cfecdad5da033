import type { ScalarNode } from '../canonical/node.ts';
import { patternSample } from '../emit/tests/pattern-sample.ts';
import { SAMPLE_FORMATS } from '../emit/tests/sample.ts';
import type { Random } from './random.ts';

const WORDS =
  'amber birch cedar delta ember fjord grove harbor inlet juniper kestrel lagoon meadow north orchard'.split(' ');
const LETTERS = Array.from('0123456789abcdef');
const FIRST_DAY = Date.UTC(2026, 0, 1);
const MINUTES = 200 * 24 * 60;

/** A text that keeps the limits of its schema and suits its name; undefined where none is easily made. */
export function makeText({ limits }: ScalarNode, random: Random, name = ''): string | undefined {
  const { pattern, format, minLength: least = 0, maxLength: most = Infinity } = limits;
  if (pattern !== undefined) return varied(pattern, patternSample(pattern, least), random);
  if (format === 'date-time' || format === 'date') {
    const moment = new Date(FIRST_DAY + random.between(0, MINUTES) * 60_000).toISOString();
    return format === 'date' ? moment.slice(0, 10) : moment;
  }
  if (format === 'uuid') return uuid(random);
  if (format !== undefined) return SAMPLE_FORMATS[format];
  let text = named(name, words(random));
  while (text.length < least) text = `${text} ${words(random)}`;
  return text.slice(0, most).trimEnd().padEnd(least, 'a');
}

function words(random: Random): string {
  const count = random.between(1, 3);
  return Array.from({ length: count }, () => random.pick(WORDS) ?? 'amber').join(' ');
}

/** What a member of this name holds in most contracts: a title has spaces, a slug has none. */
function named(name: string, said: string): string {
  const joined = said.replaceAll(' ', '-');
  const last = name.split('_').at(-1) ?? '';
  if (last === 'url' || last === 'href') return `https://example.com/${joined}`;
  if (last === 'email') return `${joined}@example.com`;
  if (last === 'slug' || last === 'id' || last === 'key') return joined;
  return last === 'type' || last === 'kind' || last === 'status' ? (said.split(' ')[0] ?? said) : said;
}

/** Version 7 by its marks, so that it passes wherever the server's own ids do. */
export function uuid(random: Random): string {
  const digits = Array.from({ length: 32 }, () => random.pick(LETTERS) ?? '0').join('');
  return `01890a5d-${digits.slice(0, 4)}-7${digits.slice(4, 7)}-8${digits.slice(7, 10)}-${digits.slice(10, 22)}`;
}

/** Changes the sample letter by letter, as far as it goes on matching, so that two texts are seldom equal. */
function varied(pattern: string, sample: string | undefined, random: Random): string | undefined {
  if (sample === undefined) return undefined;
  const matches = new RegExp(pattern, 'u');
  const letters = Array.from(sample);
  for (const [index, letter] of letters.slice(0, 64).entries()) {
    letters[index] = random.pick(LETTERS) ?? letter;
    if (!matches.test(letters.join(''))) letters[index] = letter;
  }
  return letters.join('');
}
