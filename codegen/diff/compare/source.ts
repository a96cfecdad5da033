import { match, same, type Scene } from '../scene.ts';

/** What breaks for those who compile against generated code, beyond what breaks on the wire. */
export function compareSource(scene: Scene): void {
  if (scene.before.origin !== 'contracts' || scene.after.origin !== 'contracts') return;
  const { gone, fresh, both } = match(scene.before.definitions, scene.after.definitions);
  const taken = new Set<string>();
  for (const [type, { entity, schema }] of gone) {
    const [successor] = fresh.find(([other, one]) => !taken.has(other) && same(one.schema, schema)) ?? [];
    if (successor !== undefined) taken.add(successor);
    scene.report({
      rule: successor === undefined ? 'source-type-removed' : 'source-type-renamed',
      entity,
      message:
        successor === undefined ? `The type \`${type}\` is gone.` : `The type \`${type}\` is called \`${successor}\`.`,
      before: type,
      after: successor ?? null,
    });
  }
  for (const { name, before, after } of both) {
    const [was, is] = [brand(before.schema), brand(after.schema)];
    if (was === is || was === undefined) continue;
    scene.report({
      rule: 'source-brand-changed',
      entity: after.entity,
      path: after.path,
      message: `The identifier \`${name}\` is of another kind.`,
      before: was,
      after: is ?? null,
    });
  }
  for (const [name] of match(scene.before.tools, scene.after.tools).gone) {
    const message = `The handler of \`${name}\` has no contract.`;
    scene.report({ rule: 'source-adapter-orphaned', entity: `tool ${name}`, message, before: name });
  }
}

function brand(schema: unknown): string | undefined {
  if (typeof schema !== 'object' || schema === null || !('id_kind' in schema)) return undefined;
  return typeof schema.id_kind === 'string' ? schema.id_kind : undefined;
}
