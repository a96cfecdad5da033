import type { Stability } from '../../model/types.ts';
import { lacking, match, quoted, type Scene } from '../scene.ts';

interface Scoped {
  readonly stability: Stability;
  readonly scopes?: readonly string[];
}

interface Ends {
  readonly entity: string;
  readonly before: Scoped;
  readonly after: Scoped;
  readonly path: string;
}

/** The scopes a caller needs: all of them. */
export function compareScopes(scene: Scene, { entity, before, after, path }: Ends): void {
  if (before.scopes === undefined || after.scopes === undefined) return;
  const more = lacking(after.scopes, before.scopes);
  const fewer = lacking(before.scopes, after.scopes);
  if (more.length === 0 && fewer.length === 0) return;
  const name = entity.slice(entity.indexOf(' ') + 1);
  const base = { entity, path, before: before.scopes, after: after.scopes, stability: before.stability };
  if (more.length > 0 && fewer.length > 0) {
    const message = `\`${name}\` needed ${quoted(fewer)} and needs ${quoted(more)}.`;
    scene.report({ ...base, rule: 'scope-replaced', message });
  } else if (more.length > 0) {
    scene.report({ ...base, rule: 'scope-required-added', message: `\`${name}\` also needs ${quoted(more)}.` });
  } else {
    const message = `\`${name}\` no longer needs ${quoted(fewer)}.`;
    scene.report({ ...base, rule: 'scope-required-removed', message, security: true });
  }
}

export function compareScopeVocabulary(scene: Scene): void {
  const { both, gone, fresh } = match(scene.before.scopes, scene.after.scopes);
  for (const [name] of gone) {
    scene.report({
      rule: 'scope-deleted',
      entity: `scope ${name}`,
      message: `The scope \`${name}\` is gone.`,
      before: name,
    });
  }
  for (const [name] of fresh) {
    scene.report({
      rule: 'scope-added',
      entity: `scope ${name}`,
      message: `The scope \`${name}\` is new.`,
      after: name,
    });
  }
  for (const { name, before, after } of both) {
    if (before.permission === after.permission) continue;
    const wider = after.permission === 'write';
    scene.report({
      rule: wider ? 'scope-meaning-widened' : 'scope-meaning-narrowed',
      entity: `scope ${name}`,
      path: '/permission',
      message: `\`${name}\` stood for ${before.permission} and stands for ${after.permission}.`,
      before: before.permission,
      after: after.permission,
      security: wider,
    });
  }
}
