import type { Deprecation, Stability } from '../../model/types.ts';
import { SUNSET_DAYS } from '../rules/rule.ts';
import { match, type Scene } from '../scene.ts';
import type { Living, Surface, TombstoneSurface } from '../surface/types.ts';

const RANK: Readonly<Record<Stability, number>> = { draft: 0, alpha: 1, beta: 2, stable: 3 };
const DAY = 86_400_000;

type Kind = 'tool' | 'resource' | 'prompt';

interface Removal {
  readonly kind: Kind;
  readonly name: string;
  readonly entity: Living;
  /** Whether the source could have announced the end; a listing cannot. */
  readonly announces: boolean;
}

/** An entity that is gone: how that is judged depends on what was announced. */
export function compareRemoval(scene: Scene, { kind, name, entity, announces }: Removal): void {
  const { deprecated, stability } = entity;
  const report = (rule: string, message: string): void =>
    scene.report({ rule, entity: `${kind} ${name}`, message, before: name, stability });
  if (deprecated === undefined) {
    const rule = kind === 'tool' && announces ? 'tool-removed-without-deprecation' : `${kind}-removed`;
    report(rule, `\`${name}\` is gone.`);
    return;
  }
  if (scene.today < deprecated.sunset) {
    report(`${kind}-removed-before-sunset`, `\`${name}\` is gone before its sunset on ${deprecated.sunset}.`);
    return;
  }
  report(`${kind}-removed-after-sunset`, `\`${name}\` is gone after its sunset on ${deprecated.sunset}.`);
  const reserved = scene.after.tombstones.some((one) => one.kind === kind && one.name === name);
  if (!reserved) {
    scene.report({
      rule: 'tombstone-missing',
      entity: `${kind} ${name}`,
      message: `The name \`${name}\` is free to come back with another meaning.`,
      before: name,
      stability,
    });
  }
}

interface Lives {
  readonly kind: Kind;
  readonly name: string;
  readonly before: Living;
  readonly after: Living;
}

export function compareLifecycle(scene: Scene, { kind, name, before, after }: Lives): void {
  const entity = `${kind} ${name}`;
  const report = (rule: string, path: string, message: string, ends: [string, string]): void =>
    scene.report({ rule, entity, path, message, before: ends[0], after: ends[1] });
  const [was, is] = [before.stability, after.stability];
  if (was !== is) {
    const rule = RANK[is] < RANK[was] ? 'stability-lowered' : 'stability-raised';
    report(rule, '/stability', `\`${name}\` goes from ${was} to ${is}.`, [was, is]);
  }
  const { deprecated: announced } = before;
  const { deprecated } = after;
  if (deprecated === undefined) {
    if (announced !== undefined) {
      report('undeprecated', '/deprecated', `\`${name}\` stays.`, [announced.sunset, '']);
    }
    return;
  }
  if (announced === undefined) announcing(scene, { entity, name, deprecated, stability: after.stability });
  else if (announced.sunset !== deprecated.sunset) {
    const rule = deprecated.sunset < announced.sunset ? 'sunset-moved-earlier' : 'sunset-moved-later';
    const message = `The sunset of \`${name}\` moves from ${announced.sunset} to ${deprecated.sunset}.`;
    report(rule, '/deprecated/sunset', message, [announced.sunset, deprecated.sunset]);
  }
}

interface Announcement {
  readonly entity: string;
  readonly name: string;
  readonly deprecated: Deprecation;
  readonly stability: Stability;
}

function announcing(scene: Scene, { entity, name, deprecated, stability }: Announcement): void {
  const { sunset } = deprecated;
  const days = Math.floor((Date.parse(sunset) - Date.parse(scene.today)) / DAY);
  const base = { entity, path: '/deprecated', after: sunset } as const;
  scene.report({ ...base, rule: 'deprecation-added', message: `\`${name}\` ends on ${sunset}.` });
  if (Number.isNaN(days)) {
    scene.report({ ...base, rule: 'sunset-invalid', message: `The sunset \`${sunset}\` of \`${name}\` is no date.` });
  } else if (days < SUNSET_DAYS[stability]) {
    const message = `\`${name}\` is ${stability} and ends in ${days} days; ${SUNSET_DAYS[stability]} are promised.`;
    scene.report({ ...base, rule: 'sunset-too-soon', message });
  }
  if (deprecated.replacement === undefined) {
    scene.report({
      ...base,
      rule: 'deprecation-without-replacement',
      message: `\`${name}\` ends and nothing is named instead.`,
    });
  }
}

/** Reserved names: they stay reserved, and nothing bears them again. */
export function compareTombstones(scene: Scene): void {
  if (scene.before.origin !== 'contracts' || scene.after.origin !== 'contracts') return;
  const key = ({ kind, of, name }: TombstoneSurface): string => `${kind} ${of === '' ? name : `${of} ${name}`}`;
  const index = (surface: Surface): Record<string, TombstoneSurface> =>
    Object.fromEntries(surface.tombstones.map((one) => [key(one), one]));
  const { gone } = match(index(scene.before), index(scene.after));
  for (const [entity, { name }] of gone) {
    const message = `\`${name}\` is no longer reserved.`;
    scene.report({ rule: 'tombstone-deleted', entity: `tombstone ${entity}`, message, before: name });
  }
  for (const one of scene.after.tombstones) {
    if (!isUsed(one, scene.after)) continue;
    scene.report({
      rule: 'tombstone-reused',
      entity: one.of === '' ? `${one.kind} ${one.name}` : one.of,
      message: `\`${one.name}\` was withdrawn in ${one.removed} and is used again.`,
      after: one.name,
    });
  }
}

function isUsed({ kind, of, name }: TombstoneSurface, surface: Surface): boolean {
  switch (kind) {
    case 'tool':
      return (
        Object.hasOwn(surface.tools, name) || Object.values(surface.tools).some(({ aliases }) => aliases.includes(name))
      );
    case 'resource':
      return Object.hasOwn(surface.resources, name);
    case 'prompt':
      return Object.hasOwn(surface.prompts, name);
    case 'job':
      return Object.hasOwn(surface.jobs, name);
    case 'error':
      return Object.hasOwn(surface.errors, name);
    case 'scope':
      return Object.hasOwn(surface.scopes, name);
    case 'argument':
      return hasArgument(of, name, surface);
    default:
      return false;
  }
}

function hasArgument(of: string, name: string, { tools, prompts }: Surface): boolean {
  const short = of.replace(/^(?:tool|prompt) /u, '');
  const input = Object.hasOwn(tools, short) ? tools[short]?.input : undefined;
  const properties = typeof input === 'object' ? input['properties'] : undefined;
  if (typeof properties === 'object' && properties !== null) return Object.hasOwn(properties, name);
  return Object.hasOwn(prompts, short) && prompts[short]?.arguments.some((one) => one.name === name) === true;
}
