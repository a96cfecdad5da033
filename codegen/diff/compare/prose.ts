import { HIDDEN, ORDERS } from '../../rules/prose.ts';
import type { Stability } from '../../model/types.ts';
import type { Scene } from '../scene.ts';
import type { Surface } from '../surface/types.ts';
import { quotedNames } from './mentions.ts';

/** Words that carry a duty, a warning, a prerequisite or an approval; each group counts as one. */
const GUIDANCE: readonly (readonly [name: string, words: RegExp])[] = [
  ['an obligation', /\b(?:must|never|only|always|required?|do not|cannot)\b/iu],
  ['an approval', /\b(?:approv\w+|confirm\w*|ask(?:s|ing)? (?:the|a) (?:person|user|human)|consent|permission)\b/iu],
  [
    'a warning',
    /\b(?:warning|caution|irreversib\w+|cannot be undone|spends?|charges?|costs? money|permanent(?:ly)?)\b/iu,
  ],
  ['a prerequisite', /\b(?:before|first|until|unless|after)\b/iu],
  ['a pointer to another way', /\b(?:instead|rather than|prefer)\b/iu],
];

/** Kinds of guidance the old text had and the new one has not. */
export function lostGuidance(before: string, after: string): string[] {
  return GUIDANCE.filter(([, words]) => words.test(before) && !words.test(after)).map(([name]) => name);
}

interface Described {
  readonly description: string;
  readonly stability: Stability;
}

interface Ends {
  readonly entity: string;
  readonly before: Described;
  readonly after: Described;
  readonly rule: string;
  readonly path: string;
}

export function compareDescriptions(scene: Scene, { entity, before, after, rule, path }: Ends): void {
  if (before.description === after.description) return;
  const name = entity.slice(entity.indexOf(' ') + 1);
  const lost = entity.startsWith('tool ') ? lostGuidance(before.description, after.description) : [];
  scene.report({
    rule: lost.length > 0 ? 'tool-description-lost-guidance' : rule,
    entity,
    path,
    message:
      lost.length > 0
        ? `The description of \`${name}\` no longer holds ${lost.join(', ')}.`
        : `The description of \`${name}\` is worded anew.`,
    ...(lost.length > 0 ? { before: lost } : {}),
    stability: before.stability,
  });
}

/** Names in backticks that were and are no longer something, in a text that still mentions them. */
export function missingNames(before: string, after: string, old: Surface, now: Surface): string[] {
  const known = (name: string, { tools, prompts, errors }: Surface): boolean =>
    Object.hasOwn(tools, name) || Object.hasOwn(prompts, name) || Object.hasOwn(errors, name);
  return [...new Set(quotedNames(after))].filter(
    (name) => known(name, old) && !known(name, now) && (before === after || quotedNames(after).includes(name)),
  );
}

/** Every text of a surface that models read. */
function* textsOf(surface: Surface): Generator<readonly [entity: string, path: string, text: string]> {
  yield ['server', '/instructions', surface.server.instructions];
  for (const [kind, list] of [
    ['tool', surface.tools],
    ['resource', surface.resources],
    ['prompt', surface.prompts],
    ['job', surface.jobs],
  ] as const) {
    for (const [name, one] of Object.entries(list)) {
      yield [`${kind} ${name}`, '/title', one.title];
      yield [`${kind} ${name}`, '/description', one.description];
    }
  }
  for (const [name, { input, output }] of Object.entries(surface.tools)) {
    yield [`tool ${name}`, '/input', schemaTexts(input)];
    yield [`tool ${name}`, '/output', schemaTexts(output)];
  }
  for (const { entity, path, schema } of Object.values(surface.definitions)) yield [entity, path, schemaTexts(schema)];
  for (const [name, { text }] of Object.entries(surface.resources)) yield [`resource ${name}`, '/text', text ?? ''];
  for (const [name, one] of Object.entries(surface.prompts)) {
    const text = (one.messages ?? []).flatMap(({ parts }) => parts.map((part) => ('text' in part ? part.text : '')));
    yield [`prompt ${name}`, '/messages', text.join('')];
    yield [`prompt ${name}`, '/arguments', one.arguments.map(({ description }) => description).join('\n')];
  }
  for (const [code, { recovery, meaning }] of Object.entries(surface.errors)) {
    yield [`error ${code}`, '/recovery', `${meaning}\n${recovery}`];
  }
}

function schemaTexts(schema: unknown): string {
  if (Array.isArray(schema)) return schema.map(schemaTexts).join('\n');
  if (typeof schema !== 'object' || schema === null) return '';
  return Object.entries(schema)
    .map(([key, value]) => (key === 'description' && typeof value === 'string' ? value : schemaTexts(value)))
    .filter((text) => text !== '')
    .join('\n');
}

/** Hidden characters and orders to the model that the old text did not have. */
export function compareSuspicions(scene: Scene): void {
  const old = new Map([...textsOf(scene.before)].map(([entity, path, text]) => [`${entity}${path}`, text]));
  for (const [entity, path, text] of textsOf(scene.after)) {
    const was = old.get(`${entity}${path}`) ?? '';
    if (was === text) continue;
    const [hidden] = HIDDEN.exec(text) ?? [];
    if (hidden !== undefined && !was.includes(hidden)) {
      const code = `U+${(hidden.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
      const message = `The text holds the invisible character ${code}.`;
      scene.report({ rule: 'text-hidden-characters', entity, path, message, after: code, security: true });
    }
    const [order] = ORDERS.exec(text) ?? [];
    if (order === undefined || ORDERS.exec(was) !== null) continue;
    const shown = order.replaceAll('`', '').slice(0, 60);
    const message = `"${shown}" gives the model an order instead of describing.`;
    scene.report({ rule: 'text-instruction-like', entity, path, message, after: shown.toLowerCase(), security: true });
  }
}
