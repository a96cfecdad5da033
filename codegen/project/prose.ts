/** Says in words what the published schema leaves out. */
import { member } from '../canonical/json.ts';
import type { JsonObject } from '../canonical/json.ts';
import { isNull } from '../canonical/node.ts';
import type { Limits, Lookup, Node } from '../canonical/node.ts';

const FORMAT_WORDS: Readonly<Record<string, string>> = { 'date-time': 'RFC 3339', uuid: 'UUID', date: 'YYYY-MM-DD' };

export function describeInput(node: Node, shape: JsonObject, lookup: Lookup): string {
  const base = node.notes.description ?? descriptionOf(shape);
  const limits = innerLimits(node, lookup);
  const parts = base === '' ? [] : [endSentence(base)];
  const say = (text: string): void => {
    if (!base.includes(text)) parts.push(`${text}.`);
  };
  if (limits.format !== undefined) say(FORMAT_WORDS[limits.format] ?? `Format ${limits.format}`);
  if (limits.multipleOf !== undefined) say(`Multiple of ${limits.multipleOf}`);
  if (limits.uniqueItems === true) say('No repeats');
  if (node.kind === 'literal' && member(shape, 'enum') === undefined && node.values.length < 32) {
    say(`One of ${node.values.map((value) => JSON.stringify(value)).join(', ')}`);
  }
  if (node.notes.default !== undefined)
    say(`Default ${typeof node.notes.default === 'string' ? node.notes.default : JSON.stringify(node.notes.default)}`);
  if (node.notes.deprecated === true) say('Deprecated');
  return parts.join(' ');
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
