import type { JobStatus } from '../../model/types.ts';
import { lacking, match, quoted, same, type Pair, type Scene } from '../scene.ts';
import { similarity } from '../similarity.ts';
import type { JobSurface } from '../surface/types.ts';

export function compareJobs(scene: Scene): void {
  const { both, gone, fresh } = match(scene.before.jobs, scene.after.jobs);
  const taken = new Set<string>();
  for (const [name, job] of gone) {
    const holder = Object.entries(scene.after.jobs).find(([, one]) => one.aliases.includes(name));
    const successor =
      holder?.[0] ??
      fresh.find(
        ([other, one]) => !taken.has(other) && (similarity(name, other) >= 0.6 || same(one.statuses, job.statuses)),
      )?.[0];
    if (successor !== undefined) taken.add(successor);
    const kind = `\`${name}\``;
    scene.report({
      rule:
        holder !== undefined
          ? 'job-kind-renamed-with-alias'
          : successor === undefined
            ? 'job-kind-removed'
            : 'job-kind-renamed',
      entity: `job ${name}`,
      message: successor === undefined ? `The kind ${kind} is gone.` : `The kind ${kind} is called \`${successor}\`.`,
      before: name,
      after: successor ?? null,
      ...(successor === undefined ? {} : { renamedTo: successor }),
    });
    if (holder !== undefined) compareJob(scene, { name: holder[0], before: job, after: holder[1] });
  }
  for (const [name] of fresh) {
    if (taken.has(name)) continue;
    scene.report({
      rule: 'job-kind-added',
      entity: `job ${name}`,
      message: `The kind \`${name}\` is new.`,
      after: name,
    });
  }
  for (const pair of both) compareJob(scene, pair);
}

function compareJob(scene: Scene, pair: Pair<JobSurface>): void {
  const { name, before, after } = pair;
  const entity = `job ${name}`;
  const report = (
    rule: string,
    path: string,
    message: string,
    ends: readonly [number | string, number | string],
  ): void => scene.report({ rule, entity, path, message, before: ends[0], after: ends[1] });
  for (const alias of lacking(before.aliases, after.aliases)) {
    if (Object.hasOwn(scene.after.jobs, alias)) continue;
    report('job-alias-removed', '/aliases', `\`${alias}\` no longer leads to \`${name}\`.`, [alias, '']);
  }
  compareStatuses(scene, pair);
  if (before.pollSeconds !== after.pollSeconds) {
    const message = `Callers of \`${name}\` wait ${after.pollSeconds} s between polls instead of ${before.pollSeconds}.`;
    report('job-poll-interval-changed', '/poll_seconds', message, [before.pollSeconds, after.pollSeconds]);
  }
  if (after.retentionDays < before.retentionDays) {
    const message = `Finished work of \`${name}\` is kept ${after.retentionDays} days instead of ${before.retentionDays}.`;
    report('job-retention-shortened', '/retention_days', message, [before.retentionDays, after.retentionDays]);
  }
  if (before.resource !== undefined && before.resource !== after.resource) {
    const message = `The result of \`${name}\` is found elsewhere.`;
    report('job-resource-changed', '/resource', message, [before.resource, after.resource ?? '']);
  }
  if (after.idMaxLength < before.idMaxLength) {
    const message = `Ids of \`${name}\` had up to ${before.idMaxLength} characters and have ${after.idMaxLength}.`;
    report('job-id-shortened', '/id/maxLength', message, [before.idMaxLength, after.idMaxLength]);
  }
  const starts = (tools: Scene['before']['tools']): boolean => Object.values(tools).some(({ job }) => job === name);
  if (starts(scene.before.tools) && !starts(scene.after.tools)) {
    report('job-start-link-removed', '', `No tool starts \`${name}\` any more.`, [name, '']);
  }
  if (before.title !== after.title || before.description !== after.description) {
    scene.report({
      rule: 'job-prose-changed',
      entity,
      path: '/description',
      message: `The title or description of \`${name}\` is worded anew.`,
    });
  }
}

const isFinal = ({ class: family }: JobStatus): boolean => family === 'succeeded' || family === 'failed';

function compareStatuses(scene: Scene, { name, before, after }: Pair<JobSurface>): void {
  const index = (job: JobSurface): Record<string, JobStatus> =>
    Object.fromEntries(job.statuses.map((one) => [one.name, one]));
  const { both, gone, fresh } = match(index(before), index(after));
  const entity = `job ${name}`;
  const taken = new Set<string>();
  for (const [status, its] of gone) {
    const [partner] =
      fresh.find(([other, one]) => !taken.has(other) && one.class === its.class && similarity(status, other) >= 0.6) ??
      [];
    if (partner !== undefined) taken.add(partner);
    const left = after.statuses.filter((one) => one.class === its.class);
    const stuck = isFinal(its) && left.length === 0;
    scene.report({
      rule:
        partner === undefined ? (stuck ? 'job-terminal-status-removed' : 'job-status-removed') : 'job-status-renamed',
      entity,
      path: `/statuses/${status}`,
      message:
        partner === undefined
          ? `\`${name}\` never becomes \`${status}\` any more.`
          : `The status \`${status}\` of \`${name}\` is called \`${partner}\`.`,
      before: status,
      after: partner ?? null,
      ...(partner === undefined ? {} : { renamedTo: partner }),
    });
  }
  for (const [status, { class: family }] of fresh) {
    if (taken.has(status)) continue;
    const message = `\`${name}\` may become \`${status}\`, which is ${family}.`;
    scene.report({ rule: 'job-status-added', entity, path: `/statuses/${status}`, message, after: [status, family] });
  }
  const moved = both.filter((one) => one.before.class !== one.after.class);
  for (const { name: status, before: was, after: is } of moved) {
    scene.report({
      rule: isFinal(was) === isFinal(is) ? 'job-status-meaning-changed' : 'job-terminal-set-changed',
      entity,
      path: `/statuses/${status}`,
      message: `${quoted([status])} of \`${name}\` was ${was.class} and is ${is.class}.`,
      before: was.class,
      after: is.class,
    });
  }
}
