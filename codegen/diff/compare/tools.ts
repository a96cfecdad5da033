import { canonicalText } from '../../canonical/json.ts';
import type { JsonValue } from '../../model/types.ts';
import { lacking, match, quoted, same, type Pair, type Scene } from '../scene.ts';
import { similarity } from '../similarity.ts';
import type { Surface, ToolSurface } from '../surface/types.ts';
import { compareBehaviour } from './behaviour.ts';
import { compareScopes } from './authorisation.ts';
import { compareLifecycle, compareRemoval } from './lifecycle.ts';
import { compareDescriptions, missingNames } from './prose.ts';

/** Names this alike are easily taken for each other. */
const CONFUSABLE = 0.85;
const SAME_SHAPE = 0.6;

export function compareTools(scene: Scene): void {
  const { both, gone, fresh } = match(scene.before.tools, scene.after.tools);
  const paired = new Set<string>();
  for (const [name, tool] of gone) {
    const successor = successorOf(name, tool, fresh, paired);
    if (successor !== undefined) paired.add(successor);
    removed(scene, { name, tool, successor });
  }
  for (const [name, tool] of fresh) if (!paired.has(name)) added(scene, name, tool);
  for (const pair of both) compareTool(scene, pair);
}

/** The new tool that seems to be the old one: it says so by an alias, or its name or shape is alike. */
function successorOf(
  name: string,
  tool: ToolSurface,
  fresh: readonly (readonly [string, ToolSurface])[],
  taken: ReadonlySet<string>,
): string | undefined {
  const free = fresh.filter(([other]) => !taken.has(other));
  const aliased = free.find(([, other]) => other.aliases.includes(name));
  if (aliased !== undefined) return aliased[0];
  const [best] = free
    .map(([other, its]): [string, number] => [other, likeness([name, tool], [other, its])])
    .filter(([, score]) => score >= SAME_SHAPE)
    .sort(([, a], [, b]) => b - a);
  return best?.[0];
}

function likeness([name, tool]: [string, ToolSurface], [other, its]: [string, ToolSurface]): number {
  const names = similarity(name, other);
  const shape = same(tool.input, its.input) && same(tool.output, its.output) ? 1 : argumentOverlap(tool, its);
  return name.toLowerCase() === other.toLowerCase() ? 1 : names * 0.5 + shape * 0.5;
}

function argumentOverlap(a: ToolSurface, b: ToolSurface): number {
  const [left, right] = [argumentNames(a), argumentNames(b)];
  const all = new Set([...left, ...right]);
  return all.size === 0 ? 0 : left.filter((name) => right.includes(name)).length / all.size;
}

function argumentNames({ input }: ToolSurface): string[] {
  const properties = typeof input === 'object' ? input['properties'] : undefined;
  return typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
}

interface Gone {
  readonly name: string;
  readonly tool: ToolSurface;
  readonly successor: string | undefined;
}

function removed(scene: Scene, { name, tool, successor }: Gone): void {
  const entity = `tool ${name}`;
  const { after } = scene;
  const holder = Object.entries(after.tools).find(([, one]) => one.aliases.includes(name));
  if (holder !== undefined) {
    scene.report({
      rule: 'tool-renamed-with-alias',
      entity,
      message: `\`${name}\` is called \`${holder[0]}\` and still answers under its old name.`,
      before: name,
      after: holder[0],
      renamedTo: holder[0],
      stability: tool.stability,
    });
    // The old name keeps its promises, so what it leads to is held against them.
    compareTool(scene, { name: holder[0], before: tool, after: holder[1] });
    return;
  }
  if (successor === undefined) {
    compareRemoval(scene, { kind: 'tool', name, entity: tool, announces: scene.before.origin === 'contracts' });
    return;
  }
  const spelling = successor.toLowerCase() === name.toLowerCase();
  scene.report({
    rule: spelling ? 'tool-name-case-changed' : 'tool-renamed',
    entity,
    message: spelling
      ? `\`${name}\` is spelt \`${successor}\`.`
      : `\`${name}\` is gone; \`${successor}\` looks like it.`,
    before: name,
    after: successor,
    renamedTo: successor,
    stability: tool.stability,
  });
}

function added(scene: Scene, name: string, tool: ToolSurface): void {
  const entity = `tool ${name}`;
  scene.report({ rule: 'tool-added', entity, message: `\`${name}\` is new.`, after: name, stability: tool.stability });
  const rival = Object.keys(scene.after.tools).find(
    (other) => other !== name && Object.hasOwn(scene.before.tools, other) && similarity(name, other) >= CONFUSABLE,
  );
  if (rival === undefined) return;
  scene.report({
    rule: 'tool-added-similar-name',
    entity,
    path: '/name',
    message: `\`${name}\` is easily taken for \`${rival}\`.`,
    after: [name, rival],
    stability: tool.stability,
  });
}

function compareTool(scene: Scene, pair: Pair<ToolSurface>): void {
  const { name, before, after } = pair;
  const entity = `tool ${name}`;
  const { stability } = before;
  compareAliases(scene, pair);
  compareLifecycle(scene, { kind: 'tool', name, before, after });
  compareBehaviour(scene, pair);
  compareScopes(scene, { entity, before, after, path: '/behaviour/scopes' });
  compareDescriptions(scene, { entity, before, after, rule: 'tool-description-changed', path: '/description' });
  if (before.title !== after.title) {
    scene.report({
      rule: 'tool-title-changed',
      entity,
      path: '/title',
      message: `The title of \`${name}\` is worded anew.`,
      stability,
    });
  }
  for (const missing of missingNames(before.description, after.description, scene.before, scene.after)) {
    scene.report({
      rule: 'text-names-missing-entity',
      entity,
      path: '/description',
      message: `The description of \`${name}\` names \`${missing}\`, which is gone.`,
      after: missing,
      stability,
    });
  }
  compareProjection(scene, pair);
}

function compareAliases(scene: Scene, { name, before, after }: Pair<ToolSurface>): void {
  for (const alias of lacking(before.aliases, after.aliases)) {
    if (Object.hasOwn(scene.after.tools, alias)) continue;
    const holder = holderOf(alias, scene.after);
    scene.report({
      rule: holder === undefined ? 'alias-removed' : 'alias-retargeted',
      entity: `tool ${name}`,
      path: '/aliases',
      message:
        holder === undefined
          ? `\`${alias}\` no longer leads to \`${name}\`.`
          : `\`${alias}\` leads to \`${holder}\` instead of \`${name}\`.`,
      before: alias,
      after: holder ?? null,
      stability: before.stability,
    });
  }
}

function holderOf(alias: string, { tools }: Surface): string | undefined {
  return Object.entries(tools).find(([, tool]) => tool.aliases.includes(alias))?.[0];
}

/** Aliases of the new surface that another tool or a tombstone bears. */
export function compareAliasShadows(scene: Scene): void {
  for (const [name, tool] of Object.entries(scene.after.tools)) {
    const shadows = tool.aliases.filter(
      (alias) =>
        Object.hasOwn(scene.after.tools, alias) ||
        scene.after.tombstones.some((one) => one.kind === 'tool' && one.name === alias),
    );
    if (shadows.length === 0) continue;
    scene.report({
      rule: 'alias-shadows-tool',
      entity: `tool ${name}`,
      path: '/aliases',
      message: `${quoted(shadows)} is an alias of \`${name}\` and the name of something else.`,
      after: shadows,
      stability: tool.stability,
    });
  }
}

/** The same contract must look the same on the wire, whoever compiled it. */
function compareProjection(scene: Scene, { name, before, after }: Pair<ToolSurface>): void {
  if (scene.before.origin !== 'contracts' || scene.after.origin !== 'contracts') return;
  const authored = ({ input, output, context }: ToolSurface, { definitions }: Surface): string =>
    canonicalText([input, output ?? null, context ?? null, bodies(definitions)]);
  const wire = (tool: ToolSurface): string => JSON.stringify(tool.published);
  if (wire(before) === wire(after) || authored(before, scene.before) !== authored(after, scene.after)) return;
  scene.report({
    rule: 'projection-changed',
    entity: `tool ${name}`,
    message: `The listing of \`${name}\` differs although its contract does not.`,
    before: { input: before.published.input, output: before.published.output ?? null },
    after: { input: after.published.input, output: after.published.output ?? null },
    stability: before.stability,
  });
}

function bodies(definitions: Surface['definitions']): JsonValue {
  return Object.entries(definitions).map(([name, { schema }]): JsonValue => [name, schema]);
}
