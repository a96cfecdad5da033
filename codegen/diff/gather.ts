import type { Finding } from './finding.ts';
import { fingerprintOf } from './fingerprint.ts';
import type { LoadedSurface } from './loaded.ts';
import { ruleOf } from './rules/index.ts';
import { verdictAt, type Rule, type Verdict } from './rules/rule.ts';
import type { Draft } from './scene.ts';
import type { Surface, ViewSurface } from './surface/types.ts';
import { viewName } from './surface/views.ts';

interface Ends {
  readonly before: LoadedSurface;
  readonly after: LoadedSurface;
}

/** Rules about the promise itself hold however young an entity is. */
const UNSCALED = /^(?:version|approval|baseline|tombstone|sunset|stability|text)-|^transitive-/u;

/** One finding for each cause: what many entities show of one shared shape is told once, with all of them. */
export function gather(drafts: readonly Draft[], ends: Ends): Finding[] {
  const groups = new Map<string, Draft[]>();
  for (const draft of drafts) {
    const key = `${fingerprintOf(draft)} ${draft.cacheLag === true ? 'lag' : ''}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [draft]);
    else group.push(draft);
  }
  const findings = [...groups.values()].map((group) => findingOf(group, ends));
  return findings.filter(({ verdict }) => verdict !== 'safe').filter((one) => !isEchoed(one, findings));
}

/** A cache lag says nothing new where the same place breaks or is risky already. */
function isEchoed(finding: Finding, all: readonly Finding[]): boolean {
  if (!finding.cacheLag) return false;
  return all.some(
    (one) => !one.cacheLag && one.rule === finding.rule && one.entity === finding.entity && one.path === finding.path,
  );
}

function findingOf(group: readonly Draft[], ends: Ends): Finding {
  const [first] = group;
  if (first === undefined) throw new RangeError('a group holds at least one draft');
  const rule = ruleOf(first.rule);
  const verdicts = group.map((draft) => scale(rule, draft));
  const worst = ORDER.find((verdict) => verdicts.includes(verdict)) ?? 'safe';
  const told = group[verdicts.indexOf(worst)] ?? first;
  const path = told.path ?? '';
  const position = ends.after.locate?.(told.entity, path) ?? ends.before.locate?.(told.entity, path);
  const shown = group.map((draft) => draft.shown ?? draft.entity);
  return {
    rule: rule.id,
    verdict: worst,
    sets: rule.sets,
    entity: told.entity,
    path,
    ...(told.direction === undefined ? {} : { direction: told.direction }),
    message: told.message,
    ...(told.before === undefined ? {} : { before: told.before }),
    ...(told.after === undefined ? {} : { after: told.after }),
    ...(told.witness === undefined ? {} : { witness: told.witness }),
    ...(told.unknown === undefined ? {} : { unknown: told.unknown }),
    views: viewsOf(shown, [ends.before.surface, ends.after.surface]),
    uses: [...new Set(group.flatMap(({ use }) => (use === undefined ? [] : [use])))].sort(),
    ...(told.renamedTo === undefined ? {} : { renamedTo: told.renamedTo }),
    cacheLag: told.cacheLag === true,
    security: group.some(({ security }) => security === true),
    stability: told.stability ?? 'stable',
    rationale: rule.rationale,
    migration: rule.migration,
    fingerprint: fingerprintOf(told),
    ...(position === undefined ? {} : { position }),
  };
}

const ORDER: readonly Verdict[] = ['breaking', 'unknown', 'risky', 'notice', 'safe'];

function scale(rule: Rule, draft: Draft): Verdict {
  const verdict = draft.verdict ?? rule.verdict;
  if (UNSCALED.test(rule.id)) return verdict;
  return verdictAt({ ...rule, verdict }, draft.stability ?? 'stable');
}

/** Views that list any of the entities, on either side; a grant that shows it in every revision is named once. */
function viewsOf(entities: readonly string[], surfaces: readonly Surface[]): string[] {
  const all = new Map<string, Set<string>>();
  const found = new Map<string, Set<string>>();
  for (const view of surfaces.flatMap(({ views }) => views)) {
    note(all, view);
    if (entities.some((entity) => shows(view, entity))) note(found, view);
  }
  if (found.size > 0 && [...all].every(([grant, revisions]) => found.get(grant)?.size === revisions.size)) {
    return ['every grant · every revision'];
  }
  return [...found].flatMap(([grant, revisions]) =>
    revisions.size === all.get(grant)?.size
      ? [`${grant} · every revision`]
      : [...revisions].map((revision) => viewName({ grant, revision })),
  );
}

function note(index: Map<string, Set<string>>, { grant, revision }: ViewSurface): void {
  index.set(grant, (index.get(grant) ?? new Set()).add(revision));
}

function shows(view: ViewSurface, entity: string): boolean {
  const [kind = '', name = ''] = entity.split(' ');
  if (kind === 'server') return true;
  const lists = { tool: view.tools, prompt: view.prompts, resource: [...view.resources, ...view.templates] };
  return (kind === 'tool' || kind === 'prompt' || kind === 'resource') && lists[kind].includes(name);
}
