/** Says in words what the published schema leaves out. */
import { member } from '../canonical/json.ts';
import type { JsonObject } from '../canonical/json.ts';
import { isNull } from '../canonical/node.ts';
import type { Limits, Lookup, Node } from '../canonical/node.ts';

const FORMAT_WORDS: Readonly<Record<string, string>> = { 'date-time': 'RFC 3339', uuid: 'UUID', date: 'YYYY-MM-DD' };

/** Words that add nothing to a name they stand beside. */
const FILLERS: ReadonlySet<string> = new Set('a an the of its or exact unique id uri slug name has'.split(' '));

/** `name` is that of the member, when it is one: a description that only repeats it is left to the documentation. */
export function describeInput(node: Node, shape: JsonObject, lookup: Lookup, name = ''): string {
  const said = node.notes.description ?? descriptionOf(shape);
  const base = repeats(said, name) ? '' : said;
  const limits = innerLimits(node, lookup);
  const parts = base === '' ? [] : [endSentence(base)];
  // A format that is published says itself.
  const told = member(shape, 'format') !== undefined;
  const say = (text: string): void => {
    if (!base.includes(text)) parts.push(`${text}.`);
  };
  if (limits.format !== undefined && !told) say(FORMAT_WORDS[limits.format] ?? `Format ${limits.format}`);
  if (limits.multipleOf !== undefined) say(`Multiple of ${limits.multipleOf}`);
  if (limits.uniqueItems === true) say('No repeats');
  if (node.kind === 'literal' && member(shape, 'enum') === undefined && node.values.length < 32) {
    say(`One of ${node.values.map((value) => JSON.stringify(value)).join(', ')}`);
  }
  // False is what leaving a switch out means anywhere.
  if (node.notes.default !== undefined && node.notes.default !== false)
    say(`Default ${typeof node.notes.default === 'string' ? node.notes.default : JSON.stringify(node.notes.default)}`);
  if (node.notes.deprecated === true) say('Deprecated');
  return parts.join(' ');
}

function repeats(description: string, name: string): boolean {
  const known = new Set(name.toLowerCase().split('_'));
  const words = description.toLowerCase().match(/[a-z0-9]+/gu) ?? [];
  return words.every((word) => known.has(word) || FILLERS.has(word));
}

function innerLimits(node: Node, lookup: Lookup): Limits {
  if (node.kind !== 'union') return node.kind === 'ref' ? {} : node.limits;
  const shown = node.members.filter((one) => !isNull(one));
  const [only] = shown;
  return shown.length === 1 && only !== undefined ? innerLimits(only, lookup) : {};
}

function descriptionOf(shape: JsonObject): string {
  const text = member(shape, 'description');
  return typeof text === 'string' ? text : '';
}

function endSentence(text: string): string {
  return /[.!?)\]"'`]$/u.test(text) ? text : `${text}.`;
}
