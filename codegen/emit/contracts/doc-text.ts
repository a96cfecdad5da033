import { isNull } from '../../canonical/node.ts';
import type { Limits, Node } from '../../canonical/node.ts';

const TOLD: readonly (keyof Limits)[] = [
  'format',
  'minLength',
  'maxLength',
  'pattern',
  'minimum',
  'exclusiveMinimum',
  'maximum',
  'exclusiveMaximum',
  'multipleOf',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
];

/** Text that stays inside a block comment whatever an author wrote. */
export function commentText(text: string): string {
  return text
    .replaceAll('*/', '*\\/')
    .replaceAll('/*', '/\\*')
    .replaceAll(/\r\n?|\u2028|\u2029/gu, '\n')
    .trim();
}

/** Description of a member, followed by the limits that its type cannot say. */
export function docText(node: Node): string {
  const lines = node.notes.description === undefined ? [] : [node.notes.description];
  if (node.notes.unit !== undefined) lines.push(`@unit ${node.notes.unit}`);
  const limits = toldLimits(node);
  for (const limit of TOLD) {
    const value = limits[limit];
    if (value !== undefined) lines.push(value === true ? `@${limit}` : `@${limit} ${String(value)}`);
  }
  if (node.notes.default !== undefined) lines.push(`@default ${JSON.stringify(node.notes.default)}`);
  return commentText(lines.join('\n'));
}

/** A nullable value tells the limits of what it is otherwise; the length of a tuple is in its type. */
function toldLimits(node: Node): Limits {
  if (node.kind === 'tuple') return {};
  if (node.kind !== 'union') return node.limits;
  const shown = node.members.filter((member) => !isNull(member));
  const [only] = shown;
  return shown.length === 1 && only !== undefined ? toldLimits(only) : {};
}
