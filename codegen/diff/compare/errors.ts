import { lacking, match, type Pair, type Scene } from '../scene.ts';
import { similarity } from '../similarity.ts';
import type { ErrorSurface, Surface } from '../surface/types.ts';

export function compareErrors(scene: Scene): void {
  const { both, gone, fresh } = match(scene.before.errors, scene.after.errors);
  const renamed = new Map<string, string>();
  for (const [code, error] of gone) {
    const successor = fresh.find(
      ([other, one]) =>
        ![...renamed.values()].includes(other) && one.class === error.class && similarity(code, other) >= 0.6,
    )?.[0];
    if (successor !== undefined) renamed.set(code, successor);
    scene.report({
      rule: successor === undefined ? 'error-deleted' : 'error-renamed',
      entity: `error ${code}`,
      message:
        successor === undefined
          ? `The code \`${code}\` is gone.`
          : `The code \`${code}\` is gone; \`${successor}\` looks like it.`,
      before: code,
      after: successor ?? null,
      ...(successor === undefined ? {} : { renamedTo: successor }),
    });
    const message = `\`${code}\` leaves the type of error codes.`;
    scene.report({ rule: 'source-error-class-removed', entity: `error ${code}`, message, before: code });
  }
  const successors = new Set(renamed.values());
  for (const [code, { implied }] of fresh) {
    if (!implied || successors.has(code)) continue;
    const message = `Every tool may answer \`${code}\`.`;
    scene.report({ rule: 'error-implied-added', entity: `error ${code}`, message, after: code });
  }
  for (const pair of both) compareError(scene, pair);
  compareDeclared(scene, renamed);
}

function compareError(scene: Scene, { name, before, after }: Pair<ErrorSurface>): void {
  const entity = `error ${name}`;
  if (before.retryable !== after.retryable) {
    const verdict = after.retryable && repeatIsHarmless(name, scene.after) ? { verdict: 'risky' as const } : {};
    scene.report({
      rule: after.retryable ? 'error-retryable-gained' : 'error-retryable-lost',
      entity,
      path: '/retryable',
      message: `\`${name}\` ${after.retryable ? 'invites' : 'no longer invites'} a repeat.`,
      before: before.retryable,
      after: after.retryable,
      ...verdict,
    });
  }
  if (before.http !== after.http) {
    const message = `\`${name}\` was HTTP ${before.http} and is ${after.http}.`;
    const ends = { before: before.http, after: after.http };
    scene.report({ rule: 'error-http-status-changed', entity, path: '/http', message, ...ends });
  }
  if (before.class !== after.class) {
    const message = `\`${name}\` was of class ${before.class} and is of class ${after.class}.`;
    const ends = { before: before.class, after: after.class };
    scene.report({ rule: 'error-class-changed', entity, path: '/class', message, ...ends });
  }
  if (before.fields === undefined && after.fields !== undefined) {
    scene.report({ rule: 'error-fields-added', entity, path: '/fields', message: `\`${name}\` tells fields.` });
  } else if (before.fields !== undefined && after.fields === undefined) {
    const message = `\`${name}\` tells no fields any more.`;
    scene.report({ rule: 'error-fields-removed', entity, path: '/fields', message });
  }
  if (!before.implied && after.implied) {
    const message = `Every tool may answer \`${name}\`.`;
    scene.report({ rule: 'error-implied-added', entity, path: '/implied', message, after: name });
  }
  if (before.recovery !== after.recovery) {
    const message = `The recovery of \`${name}\` is worded anew.`;
    scene.report({ rule: 'error-recovery-changed', entity, path: '/recovery', message });
  }
  if (before.meaning !== after.meaning) {
    const message = `The meaning of \`${name}\` is worded anew.`;
    scene.report({ rule: 'error-meaning-changed', entity, path: '/meaning', message });
  }
}

function repeatIsHarmless(code: string, { tools, errors }: Surface): boolean {
  const implied = errors[code]?.implied === true;
  return Object.values(tools)
    .filter((tool) => implied || tool.errors?.includes(code) === true)
    .every(({ hints }) => hints.readOnlyHint === true || hints.idempotentHint === true);
}

/** Codes by tool and resource. A code that was renamed is one cause, told at the vocabulary. */
function compareDeclared(scene: Scene, renamed: ReadonlyMap<string, string>): void {
  const lists = [
    ['tool', scene.before.tools, scene.after.tools],
    ['resource', scene.before.resources, scene.after.resources],
    ['endpoint', scene.before.endpoints, scene.after.endpoints],
  ] as const;
  for (const [kind, before, after] of lists) {
    // because the three kinds share the members that are read here
    for (const { name, before: was, after: is } of match<{
      readonly errors?: readonly string[];
      readonly stability: 'draft' | 'alpha' | 'beta' | 'stable';
    }>(before, after).both) {
      if (was.errors === undefined || is.errors === undefined) continue;
      const base = { entity: `${kind} ${name}`, path: '/errors', stability: was.stability };
      for (const code of lacking(is.errors, was.errors)) {
        if ([...renamed.values()].includes(code) || scene.before.errors[code]?.implied === true) continue;
        scene.report({ ...base, rule: 'error-added', message: `\`${name}\` may answer \`${code}\`.`, after: code });
      }
      for (const code of lacking(was.errors, is.errors)) {
        if (renamed.has(code) || !Object.hasOwn(scene.after.errors, code)) continue;
        if (scene.after.errors[code]?.implied === true) continue;
        const message = `\`${name}\` never answers \`${code}\` any more.`;
        scene.report({ ...base, rule: 'error-removed', message, before: code });
      }
    }
  }
}
