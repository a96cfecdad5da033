import { lacking, match, same, type Pair, type Scene } from '../scene.ts';
import { similarity } from '../similarity.ts';
import type { PromptArgumentSurface, PromptSurface } from '../surface/types.ts';
import { compareScopes } from './authorisation.ts';
import { compareLifecycle, compareRemoval } from './lifecycle.ts';
import { promptText } from './mentions.ts';
import { lostGuidance } from './prose.ts';

const RENAMED = 0.6;

export function comparePrompts(scene: Scene): void {
  const { both, gone, fresh } = match(scene.before.prompts, scene.after.prompts);
  const taken = new Set<string>();
  for (const [name, prompt] of gone) {
    const successor = fresh.find(
      ([other, one]) =>
        !taken.has(other) && (similarity(name, other) >= RENAMED || same(one.messages, prompt.messages)),
    )?.[0];
    if (successor === undefined || prompt.deprecated !== undefined) {
      compareRemoval(scene, { kind: 'prompt', name, entity: prompt, announces: true });
      continue;
    }
    taken.add(successor);
    scene.report({
      rule: 'prompt-renamed',
      entity: `prompt ${name}`,
      message: `\`${name}\` is gone; \`${successor}\` looks like it.`,
      before: name,
      after: successor,
      renamedTo: successor,
      stability: prompt.stability,
    });
  }
  for (const [name] of fresh) {
    if (taken.has(name)) continue;
    scene.report({ rule: 'prompt-added', entity: `prompt ${name}`, message: `\`${name}\` is new.`, after: name });
  }
  for (const pair of both) comparePrompt(scene, pair);
}

function comparePrompt(scene: Scene, pair: Pair<PromptSurface>): void {
  const { name, before, after } = pair;
  const entity = `prompt ${name}`;
  compareLifecycle(scene, { kind: 'prompt', name, before, after });
  compareScopes(scene, { entity, before, after, path: '/scopes' });
  compareArguments(scene, pair);
  compareBody(scene, pair);
  if (before.title !== after.title || before.description !== after.description) {
    const message = `The title or description of \`${name}\` is worded anew.`;
    scene.report({ rule: 'prompt-prose-changed', entity, path: '/description', message, stability: before.stability });
  }
}

function compareArguments(scene: Scene, { name, before, after }: Pair<PromptSurface>): void {
  const index = (list: readonly PromptArgumentSurface[]): Record<string, PromptArgumentSurface> =>
    Object.fromEntries(list.map((one) => [one.name, one]));
  const { both, gone, fresh } = match(index(before.arguments), index(after.arguments));
  const base = { entity: `prompt ${name}`, stability: before.stability };
  const taken = new Set<string>();
  for (const [argument, its] of gone) {
    const [partner] =
      fresh.find(([other, one]) => !taken.has(other) && isRename(its, one, gone.length + fresh.length)) ?? [];
    if (partner !== undefined) taken.add(partner);
    scene.report({
      ...base,
      rule: partner === undefined ? 'prompt-arg-removed' : 'prompt-arg-renamed',
      path: `/arguments/${argument}`,
      message:
        partner === undefined
          ? `\`${name}\` takes no \`${argument}\` any more.`
          : `\`${argument}\` of \`${name}\` is called \`${partner}\`.`,
      before: argument,
      after: partner ?? null,
      ...(partner === undefined ? {} : { renamedTo: partner }),
    });
  }
  for (const [argument, { required }] of fresh) {
    if (taken.has(argument)) continue;
    const message = `\`${name}\` takes ${required ? 'and needs' : 'an optional'} \`${argument}\`.`;
    const rule = required ? 'prompt-arg-added-required' : 'prompt-arg-added-optional';
    scene.report({ ...base, rule, path: `/arguments/${argument}`, message, after: argument });
  }
  for (const pair of both) compareArgument(scene, name, pair, before.stability);
  const order = (list: readonly PromptArgumentSurface[], other: readonly PromptArgumentSurface[]): string[] =>
    list.map((one) => one.name).filter((one) => other.some((its) => its.name === one));
  if (!same(order(before.arguments, after.arguments), order(after.arguments, before.arguments))) {
    const message = `The arguments of \`${name}\` stand in another order.`;
    scene.report({ ...base, rule: 'prompt-arg-order-changed', path: '/arguments', message });
  }
}

function isRename(before: PromptArgumentSurface, after: PromptArgumentSurface, changed: number): boolean {
  const alike = similarity(before.name, after.name) >= RENAMED || before.description === after.description;
  return alike || (changed === 2 && before.required === after.required && before.completion !== undefined);
}

function compareArgument(
  scene: Scene,
  prompt: string,
  { name, before, after }: Pair<PromptArgumentSurface>,
  stability: PromptSurface['stability'],
): void {
  const base = { entity: `prompt ${prompt}`, path: `/arguments/${name}`, stability };
  if (before.required !== after.required) {
    scene.report({
      ...base,
      rule: after.required ? 'prompt-arg-became-required' : 'prompt-arg-became-optional',
      message: `\`${name}\` of \`${prompt}\` is ${after.required ? 'needed' : 'optional'} now.`,
      before: before.required,
      after: after.required,
    });
  }
  const [was, is] = [before.maxLength ?? Infinity, after.maxLength ?? Infinity];
  if (was !== is) {
    scene.report({
      ...base,
      rule: is < was ? 'prompt-arg-narrowed' : 'prompt-arg-widened',
      path: `${base.path}/max_length`,
      message: `\`${name}\` of \`${prompt}\` took ${was} characters and takes ${is}.`,
      before: before.maxLength ?? null,
      after: after.maxLength ?? null,
      ...(is < was
        ? { witness: { value: { [name]: 'x'.repeat(is + 1) }, acceptedBy: 'old' as const, refusedBy: 'new' as const } }
        : {}),
    });
  }
  if (before.completion !== undefined && after.completion === undefined) {
    const message = `Values of \`${name}\` are no longer offered.`;
    scene.report({ ...base, rule: 'prompt-completion-dropped', message, before: name });
  }
  if (before.title !== after.title || before.description !== after.description) {
    const message = `The text of \`${name}\` of \`${prompt}\` is worded anew.`;
    scene.report({ ...base, rule: 'prompt-arg-prose-changed', message });
  }
}

function compareBody(scene: Scene, { name, before, after }: Pair<PromptSurface>): void {
  if (before.messages === undefined || after.messages === undefined) return;
  const base = { entity: `prompt ${name}`, path: '/messages', stability: before.stability };
  const roles = (prompt: PromptSurface): string[] => (prompt.messages ?? []).map(({ role }) => role);
  if (!same(roles(before), roles(after))) {
    scene.report({
      ...base,
      rule: 'prompt-message-roles-changed',
      message: `\`${name}\` opens with other messages.`,
      before: roles(before),
      after: roles(after),
    });
  }
  for (const tool of lacking(before.tools ?? [], after.tools ?? [])) {
    const message = `\`${name}\` no longer leads to \`${tool}\`.`;
    if (promptText(after.messages).includes(tool)) continue;
    scene.report({ ...base, rule: 'prompt-tool-dropped', message, before: tool });
  }
  for (const tool of lacking(after.tools ?? [], before.tools ?? [])) {
    scene.report({ ...base, rule: 'prompt-tool-added', message: `\`${name}\` leads to \`${tool}\`.`, after: tool });
  }
  const words = new Set(promptText(after.messages).match(/[A-Za-z0-9_-]+/gu));
  for (const tool of lacking(Object.keys(scene.before.tools), Object.keys(scene.after.tools))) {
    if (!words.has(tool)) continue;
    const message = `\`${name}\` leads to \`${tool}\`, which is gone.`;
    scene.report({ ...base, rule: 'prompt-references-missing-tool', message, after: tool });
  }
  if (unguarded(after).some((argument) => !unguarded(before).includes(argument))) {
    const message = `A caller's value stands inside backticks in \`${name}\`.`;
    scene.report({ ...base, rule: 'prompt-injection-guard-dropped', message, after: unguarded(after), security: true });
  }
  const [old, now] = [promptText(before.messages), promptText(after.messages)];
  if (old === now) return;
  const lost = lostGuidance(old, now);
  scene.report({
    ...base,
    rule: lost.length > 0 ? 'prompt-guard-dropped' : 'prompt-body-changed',
    message:
      lost.length > 0 ? `\`${name}\` no longer holds ${lost.join(', ')}.` : `The text of \`${name}\` is worded anew.`,
    ...(lost.length > 0 ? { before: lost } : {}),
  });
}

/** Arguments whose value is printed between backticks, where it can break out. */
function unguarded({ messages = [] }: PromptSurface): string[] {
  return messages.flatMap(({ parts }) => {
    let open = false;
    return parts.flatMap((part) => {
      if ('argument' in part) return open ? [part.argument] : [];
      const ticks = part.text.match(/`/gu)?.length ?? 0;
      if (ticks % 2 === 1) open = !open;
      return [];
    });
  });
}
