import { lacking, match, same, type Pair, type Scene } from '../scene.ts';
import type { ResourceSurface, Surface } from '../surface/types.ts';
import { compareScopes } from './authorisation.ts';
import { compareLifecycle, compareRemoval } from './lifecycle.ts';
import { literals, lostAddress, operators, parseTemplate, pathNames, pattern, sharedAddress } from './templates.ts';

export function compareResources(scene: Scene): void {
  const { both, gone, fresh } = match(scene.before.resources, scene.after.resources);
  const renamed = new Set<string>();
  for (const [name, before] of gone) {
    // An address is the identity of a resource; its name is what people see.
    const successor = fresh.find(([other, one]) => !renamed.has(other) && address(one) === address(before));
    if (successor === undefined) {
      compareRemoval(scene, { kind: 'resource', name, entity: before, announces: true });
      continue;
    }
    const [other, after] = successor;
    renamed.add(other);
    scene.report({
      rule: 'resource-name-changed',
      entity: `resource ${name}`,
      path: '/name',
      message: `\`${name}\` is called \`${other}\`.`,
      before: name,
      after: other,
      renamedTo: other,
      stability: before.stability,
    });
    compareResource(scene, { name, before, after });
  }
  for (const [name] of fresh) {
    if (renamed.has(name)) continue;
    const message = `The resource \`${name}\` is new.`;
    scene.report({ rule: 'resource-added', entity: `resource ${name}`, message, after: name });
  }
  for (const pair of both) compareResource(scene, pair);
  compareOverlaps(scene);
}

function address({ uri, uriTemplate }: ResourceSurface): string {
  return uri ?? uriTemplate ?? '';
}

function compareResource(scene: Scene, pair: Pair<ResourceSurface>): void {
  const { name, before, after } = pair;
  const entity = `resource ${name}`;
  compareAddress(scene, pair);
  compareLifecycle(scene, { kind: 'resource', name, before, after });
  compareScopes(scene, { entity, before, after, path: '/scopes' });
  compareContent(scene, pair);
  compareCache(scene, pair);
  const completed = (list: ResourceSurface['variables']): string[] =>
    Object.entries(list).flatMap(([variable, { completion }]) => (completion === undefined ? [] : [variable]));
  const kept = new Set([...Object.keys(after.variables), ...Object.keys(after.query)]);
  for (const variable of lacking(completed(before.variables), completed(after.variables))) {
    if (!kept.has(variable)) continue;
    scene.report({
      rule: 'template-completion-dropped',
      entity,
      path: `/variables/${variable}`,
      message: `Values of \`${variable}\` are no longer offered.`,
      before: variable,
      stability: before.stability,
    });
  }
  if (before.title !== after.title || before.description !== after.description) {
    const message = `The title or description of \`${name}\` is worded anew.`;
    scene.report({
      rule: 'resource-prose-changed',
      entity,
      path: '/description',
      message,
      stability: before.stability,
    });
  }
}

function compareAddress(scene: Scene, { name, before, after }: Pair<ResourceSurface>): void {
  const [was, is] = [address(before), address(after)];
  const base = { entity: `resource ${name}`, stability: before.stability, before: was, after: is } as const;
  if (before.uri !== undefined && after.uriTemplate !== undefined) {
    const matches = pattern(is).test(was);
    const message = `\`${was}\` became the template \`${is}\`.`;
    scene.report({
      ...base,
      rule: 'resource-to-template',
      path: '/uri',
      message,
      ...(matches ? { verdict: 'risky' as const } : {}),
    });
  } else if (before.uriTemplate !== undefined && after.uri !== undefined) {
    const message = `The template \`${was}\` became the one address \`${is}\`.`;
    scene.report({ ...base, rule: 'template-to-resource', path: '/uri_template', message });
  } else if (before.uri !== undefined && was !== is) {
    scene.report({ ...base, rule: 'resource-uri-changed', path: '/uri', message: `\`${was}\` became \`${is}\`.` });
  } else if (was !== is) compareTemplate(scene, { name, before, after });
  compareQuery(scene, { name, before, after });
}

function compareTemplate(scene: Scene, { name, before, after }: Pair<ResourceSurface>): void {
  const [was, is] = [before.uriTemplate ?? '', after.uriTemplate ?? ''];
  const [old, now] = [parseTemplate(was), parseTemplate(is)];
  const lost = lostAddress(was, is);
  const base = {
    entity: `resource ${name}`,
    path: '/uri_template',
    stability: before.stability,
    before: was,
    after: is,
    ...(lost === undefined ? {} : { witness: { value: lost, acceptedBy: 'old' as const, refusedBy: 'new' as const } }),
  };
  const [had, has] = [pathNames(old), pathNames(now)];
  const shows = lost === undefined ? '' : ` \`${lost}\` no longer matches.`;
  if (has.length > had.length) {
    const message = `The template of \`${name}\` needs ${lacking(has, had).join(', ')}.${shows}`;
    scene.report({ ...base, rule: 'template-variable-added', message });
  } else if (has.length < had.length) {
    const message = `The template of \`${name}\` lost ${lacking(had, has).join(', ')}.${shows}`;
    scene.report({ ...base, rule: 'template-variable-removed', message });
  } else if (literals(old) !== literals(now)) {
    const verdict = lost === undefined ? { verdict: 'risky' as const } : {};
    const message = `\`${was}\` became \`${is}\`.${shows}`;
    scene.report({ ...base, rule: 'template-literal-changed', message, ...verdict });
  } else if (operators(old) !== operators(now)) {
    scene.report({
      ...base,
      rule: lost === undefined ? 'template-operator-changed' : 'template-match-set-shrunk',
      message: `Variables of \`${name}\` are expanded in another way.${shows}`,
    });
  } else if (!same(had, has)) {
    const message = `\`${lacking(had, has).join(', ')}\` of \`${name}\` became \`${lacking(has, had).join(', ')}\`.`;
    scene.report({ ...base, rule: 'template-variable-renamed', message });
  }
}

function compareQuery(scene: Scene, { name, before, after }: Pair<ResourceSurface>): void {
  const { both, gone } = match(before.query, after.query);
  for (const [variable] of gone) {
    scene.report({
      rule: 'template-variable-removed',
      entity: `resource ${name}`,
      path: `/query/${variable}`,
      message: `The query parameter \`${variable}\` of \`${name}\` is gone.`,
      before: variable,
      verdict: 'risky',
      stability: before.stability,
    });
  }
  for (const { name: variable, before: was, after: is } of both) {
    if (was.completion === undefined || is.completion !== undefined) continue;
    scene.report({
      rule: 'template-completion-dropped',
      entity: `resource ${name}`,
      path: `/query/${variable}`,
      message: `Values of \`${variable}\` are no longer offered.`,
      before: variable,
      stability: before.stability,
    });
  }
}

function compareContent(scene: Scene, { name, before, after }: Pair<ResourceSurface>): void {
  const base = { entity: `resource ${name}`, stability: before.stability };
  if (before.mimeType !== after.mimeType) {
    const [was, is] = [before.mimeType.split(';')[0], after.mimeType.split(';')[0]];
    scene.report({
      ...base,
      rule: 'resource-mime-changed',
      path: '/mime_type',
      message: `\`${name}\` was ${before.mimeType} and is ${after.mimeType}.`,
      before: before.mimeType,
      after: after.mimeType,
      ...(was === is ? { verdict: 'risky' as const } : {}),
    });
  }
  if (before.content !== after.content) {
    const message = `\`${name}\` was ${before.content} and is ${after.content}.`;
    const ends = { before: before.content, after: after.content };
    scene.report({ ...base, rule: 'resource-text-blob-flip', path: '/payload', message, ...ends });
  }
  if (before.payload === undefined && after.payload !== undefined) {
    const message = `The content of \`${name}\` has a shape now.`;
    scene.report({ ...base, rule: 'resource-payload-added', path: '/payload', message });
  } else if (before.payload !== undefined && after.payload === undefined) {
    const message = `The shape of the content of \`${name}\` is no longer promised.`;
    scene.report({ ...base, rule: 'resource-payload-removed', path: '/payload', message });
  }
  if (before.text !== undefined && after.text !== undefined && before.text !== after.text) {
    const message = `The text of \`${name}\` is worded anew.`;
    scene.report({ ...base, rule: 'resource-text-changed', path: '/text', message });
  }
  if (!same(before.audience, after.audience) || before.priority !== after.priority) {
    const message = `\`${name}\` is meant for others, or ranked otherwise.`;
    scene.report({ ...base, rule: 'resource-audience-changed', path: '/annotations', message });
  }
  if (before.size !== after.size && before.size !== undefined && after.size !== undefined) {
    const message = `\`${name}\` was ${before.size} bytes and is ${after.size}.`;
    const ends = { before: before.size, after: after.size };
    scene.report({ ...base, rule: 'resource-size-changed', path: '/size', message, ...ends });
  }
}

function compareCache(scene: Scene, { name, before, after }: Pair<ResourceSurface>): void {
  const [was, is] = [before.cache, after.cache];
  if (was === undefined || is === undefined || same(was, is)) return;
  const wider = was.scope === 'private' && is.scope === 'public';
  scene.report({
    rule: wider ? 'resource-cache-scope-widened' : 'resource-cache-changed',
    entity: `resource ${name}`,
    path: '/cache',
    message: `\`${name}\` was kept ${was.ttlSeconds} s ${was.scope} and is kept ${is.ttlSeconds} s ${is.scope}.`,
    before: was,
    after: is,
    security: wider,
    stability: before.stability,
  });
}

/** Two templates of the new surface that answer one address, where the old one had no such pair. */
function compareOverlaps(scene: Scene): void {
  const before = new Set(overlaps(scene.before).map(({ pair }) => pair));
  for (const { pair, names, address: shared } of overlaps(scene.after)) {
    if (before.has(pair)) continue;
    scene.report({
      rule: 'template-overlap-introduced',
      entity: `resource ${names[0]}`,
      path: '/uri_template',
      message: `\`${names[0]}\` and \`${names[1]}\` both answer \`${shared}\`.`,
      after: [...names],
      witness: { value: shared, acceptedBy: 'new', refusedBy: 'old' },
    });
  }
}

interface Overlap {
  readonly pair: string;
  readonly names: readonly [string, string];
  readonly address: string;
}

function overlaps({ resources }: Surface): Overlap[] {
  const list = Object.entries(resources).filter(([, one]) => one.uriTemplate !== undefined);
  return list.flatMap(([name, one], at) =>
    list.slice(at + 1).flatMap(([other, two]): Overlap[] => {
      const shared = sharedAddress(one.uriTemplate ?? '', two.uriTemplate ?? '');
      return shared === undefined ? [] : [{ pair: `${name} ${other}`, names: [name, other], address: shared }];
    }),
  );
}
