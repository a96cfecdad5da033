import type { Pair, Scene } from '../scene.ts';
import type { Hints, ToolSurface } from '../surface/types.ts';

/** What the protocol assumes of a tool that does not say. */
const HINT_DEFAULTS: Required<Hints> = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
};

interface HintRule {
  readonly hint: keyof Hints;
  readonly key: string;
  readonly gained: string;
  readonly lost: string;
}

const HINTS: readonly HintRule[] = [
  { hint: 'readOnlyHint', key: 'read_only', gained: 'hint-read-only-gained', lost: 'hint-read-only-lost' },
  { hint: 'destructiveHint', key: 'destructive', gained: 'hint-destructive-gained', lost: 'hint-destructive-lost' },
  { hint: 'idempotentHint', key: 'idempotent', gained: 'hint-idempotent-gained', lost: 'hint-idempotent-lost' },
  { hint: 'openWorldHint', key: 'open_world', gained: 'hint-open-world-gained', lost: 'hint-open-world-lost' },
];

const COST = ['free', 'compute', 'llm', 'gpu'] as const;
const SAFETY = ['none', 'natural', 'key'] as const;

export function compareBehaviour(scene: Scene, pair: Pair<ToolSurface>): void {
  for (const rule of HINTS) compareHint(scene, pair, rule);
  compareCost(scene, pair);
  compareIdempotency(scene, pair);
  compareWaiting(scene, pair);
  compareContext(scene, pair);
}

/** A read-only tool destroys nothing and may be repeated, whatever its other hints say. */
function effective(hints: Hints, hint: keyof Hints): boolean {
  const readOnly = hints.readOnlyHint ?? HINT_DEFAULTS.readOnlyHint;
  if (readOnly && hint === 'destructiveHint') return false;
  if (readOnly && hint === 'idempotentHint') return true;
  return hints[hint] ?? HINT_DEFAULTS[hint];
}

function compareHint(scene: Scene, { name, before, after }: Pair<ToolSurface>, rule: HintRule): void {
  const { hint, key } = rule;
  const [was, is] = [effective(before.hints, hint), effective(after.hints, hint)];
  const base = { entity: `tool ${name}`, path: `/behaviour/${key}`, stability: before.stability };
  const impliedBy = hint === 'destructiveHint' || hint === 'idempotentHint';
  const readOnlyMoved = effective(before.hints, 'readOnlyHint') !== effective(after.hints, 'readOnlyHint');
  // The change of the read-only hint is the cause; what follows from it is not reported again.
  const followsOnly = impliedBy && readOnlyMoved && before.hints[hint] === after.hints[hint];
  if (was !== is && !followsOnly) {
    const message = `\`${name}\` was ${was ? '' : 'not '}${words(key)} and is ${is ? '' : 'not '}now.`;
    scene.report({ ...base, rule: is ? rule.gained : rule.lost, message, before: was, after: is });
  } else if (was === is && before.hints[hint] !== undefined && after.hints[hint] === undefined) {
    const message = `\`${name}\` no longer says whether it is ${words(key)}.`;
    scene.report({ ...base, rule: 'hint-omitted', message, before: was });
  }
}

const words = (key: string): string => key.replaceAll('_', '-');

function compareCost(scene: Scene, { name, before, after }: Pair<ToolSurface>): void {
  const [was, is] = [before.costClass, after.costClass];
  if (was === undefined || is === undefined || was === is) return;
  scene.report({
    rule: COST.indexOf(is) > COST.indexOf(was) ? 'cost-class-raised' : 'cost-class-lowered',
    entity: `tool ${name}`,
    path: '/behaviour/cost_class',
    message: `A call of \`${name}\` cost ${was} and costs ${is}.`,
    before: was,
    after: is,
    stability: before.stability,
  });
}

function compareIdempotency(scene: Scene, { name, before, after }: Pair<ToolSurface>): void {
  const [was, is] = [before.idempotency, after.idempotency];
  if (was === undefined || is === undefined || was === is) return;
  const readOnlyLost = before.hints.readOnlyHint === true && after.hints.readOnlyHint !== true;
  const weaker = SAFETY.indexOf(is) < SAFETY.indexOf(was) && !(was === 'natural' && readOnlyLost);
  scene.report({
    rule: weaker ? 'idempotency-mode-weakened' : 'idempotency-mode-strengthened',
    entity: `tool ${name}`,
    path: '/behaviour/idempotency',
    message: `Repeats of \`${name}\` were told apart by ${was} and are by ${is}.`,
    before: was,
    after: is,
    stability: before.stability,
  });
}

function compareWaiting(scene: Scene, { name, before, after }: Pair<ToolSurface>): void {
  const base = { entity: `tool ${name}`, stability: before.stability };
  if (before.asyncMode !== undefined && after.asyncMode !== undefined && before.asyncMode !== after.asyncMode) {
    scene.report({
      ...base,
      rule: 'async-mode-changed',
      path: '/behaviour/async_mode',
      message: `\`${name}\` answered ${before.asyncMode === 'job' ? 'a receipt' : 'its result'} and answers ${after.asyncMode === 'job' ? 'a receipt' : 'its result'}.`,
      before: before.asyncMode,
      after: after.asyncMode,
    });
  } else if (before.job !== undefined && before.job !== after.job) {
    const message = `The receipt of \`${name}\` was for \`${before.job}\` and is for ${after.job === undefined ? 'nothing' : `\`${after.job}\``}.`;
    scene.report({
      ...base,
      rule: 'job-link-changed',
      path: '/job',
      message,
      before: before.job,
      after: after.job ?? null,
    });
  }
  const [limit, now] = [before.timeoutSeconds, after.timeoutSeconds];
  if (limit !== undefined && now !== undefined && limit !== now) {
    scene.report({
      ...base,
      rule: now < limit ? 'timeout-lowered' : 'timeout-raised',
      path: '/behaviour/timeout_seconds',
      message: `A call of \`${name}\` was given ${limit} seconds and is given ${now}.`,
      before: limit,
      after: now,
    });
  }
  compareTasks(scene, { name, before, after });
}

function compareTasks(scene: Scene, { name, before, after }: Pair<ToolSurface>): void {
  const was = before.taskSupport ?? 'forbidden';
  const is = after.taskSupport ?? 'forbidden';
  if (was === is) return;
  const offered = was === 'forbidden' && is === 'optional';
  scene.report({
    rule: is === 'required' ? 'task-support-required' : offered ? 'task-support-offered' : 'task-support-changed',
    entity: `tool ${name}`,
    path: '/execution/taskSupport',
    message: `Calls of \`${name}\` as a task were ${was} and are ${is}.`,
    before: was,
    after: is,
    stability: before.stability,
  });
}

function compareContext(scene: Scene, { name, before, after }: Pair<ToolSurface>): void {
  const [was, is] = [before.context, after.context];
  if (was === undefined || is === undefined || was === is) return;
  const needs = is === 'project';
  const base = { entity: `tool ${name}`, path: '/project', before: was, after: is, stability: before.stability };
  scene.report({
    ...base,
    rule: needs ? 'project-argument-required' : 'project-argument-dropped',
    message: needs
      ? `Account credentials must pass \`project_id\` to \`${name}\`.`
      : `\`${name}\` takes no \`project_id\` any more.`,
  });
  const message = `The handler of \`${name}\` is given the ${is} context instead of the ${was} context.`;
  scene.report({ ...base, rule: 'source-adapter-signature-changed', message });
}
