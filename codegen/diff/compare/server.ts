import { lacking, match, quoted, type Pair, type Scene } from '../scene.ts';
import type { EndpointSurface, ServerSurface } from '../surface/types.ts';
import { viewName } from '../surface/views.ts';
import { lostGuidance, missingNames } from './prose.ts';

const LISTS = [
  ['revisions', 'protocol-revision', 'Revision'],
  ['capabilities', 'capability', 'Capability'],
  ['extensions', 'extension', 'Extension'],
] as const;

export function compareServer(scene: Scene): void {
  const [before, after] = [scene.before.server, scene.after.server];
  const entity = 'server';
  for (const [key, stem, noun] of LISTS) {
    const [was, is] = [before[key], after[key]];
    if (was === undefined || is === undefined) continue;
    for (const one of lacking(was, is)) {
      const message = `${noun} \`${one}\` is no longer served.`;
      scene.report({ rule: `${stem}-dropped`, entity, path: `/${key}`, message, before: one });
    }
    for (const one of lacking(is, was)) {
      const message = `${noun} \`${one}\` is served.`;
      scene.report({ rule: `${stem}-added`, entity, path: `/${key}`, message, after: one });
    }
  }
  compareNames(scene, before, after);
  compareInstructions(scene, before.instructions, after.instructions);
}

function compareNames(scene: Scene, before: ServerSurface, after: ServerSurface): void {
  for (const [key, rule, path] of [
    ['name', 'server-name-changed', '/name'],
    ['title', 'server-title-changed', '/title'],
    ['uriScheme', 'uri-scheme-changed', '/uri_scheme'],
  ] as const) {
    const [was, is] = [before[key], after[key]];
    if (was === undefined || is === undefined || was === is) continue;
    const ends = key === 'title' ? {} : { before: was, after: is };
    scene.report({ rule, entity: 'server', path, message: `\`${was}\` became \`${is}\`.`, ...ends });
  }
}

function compareInstructions(scene: Scene, before: string, after: string): void {
  if (before !== after) {
    const lost = lostGuidance(before, after);
    scene.report({
      rule: lost.length > 0 ? 'instructions-lost-guidance' : 'instructions-changed',
      entity: 'server',
      path: '/instructions',
      message:
        lost.length > 0 ? `The instructions no longer hold ${lost.join(', ')}.` : 'The instructions are worded anew.',
      ...(lost.length > 0 ? { before: lost } : {}),
    });
  }
  for (const name of missingNames(before, after, scene.before, scene.after)) {
    const message = `The instructions name \`${name}\`, which is gone.`;
    scene.report({ rule: 'text-names-missing-entity', entity: 'server', path: '/instructions', message, after: name });
  }
}

/** Entities that some credential or revision no longer sees, though they exist and others see them. */
export function compareViews(scene: Scene): void {
  const index = new Map(scene.after.views.map((view) => [viewName(view), view]));
  const lost = new Map<string, string[]>();
  const gone: string[] = [];
  for (const view of scene.before.views) {
    const name = viewName(view);
    const now = index.get(name);
    if (now === undefined) {
      if (scene.after.server.revisions.includes(view.revision) || scene.after.views.length === 0) gone.push(name);
      continue;
    }
    for (const [kind, list] of [
      ['tool', 'tools'],
      ['resource', 'resources'],
      ['resource', 'templates'],
      ['prompt', 'prompts'],
    ] as const) {
      const shown = list === 'resources' || list === 'templates' ? [...now.resources, ...now.templates] : now[list];
      for (const one of lacking(view[list], shown)) {
        const exists = { tool: scene.after.tools, resource: scene.after.resources, prompt: scene.after.prompts }[kind];
        if (!Object.hasOwn(exists, one)) continue;
        lost.set(`${kind} ${one}`, [...(lost.get(`${kind} ${one}`) ?? []), name]);
      }
    }
  }
  if (gone.length > 0 && gone.length < scene.before.views.length) {
    const message = `${quoted(gone)} is no longer served.`;
    scene.report({ rule: 'server-view-lost', entity: 'server', path: '/views', message, before: gone });
  }
  for (const [entity, views] of lost) {
    if (hasCause(scene, entity)) continue;
    const [kind = '', name = ''] = entity.split(' ');
    const message = `\`${name}\` is hidden from ${quoted(views)}.`;
    scene.report({ rule: `${kind}-view-lost`, entity, path: '/scopes', message, before: views });
  }
}

/** A view is lost because a hint or a scope changed, and that is told where it changed. */
function hasCause({ before, after }: Scene, entity: string): boolean {
  const [kind = '', name = ''] = entity.split(' ');
  if (kind === 'tool') {
    const [was, is] = [before.tools[name], after.tools[name]];
    return (
      was?.hints.readOnlyHint !== is?.hints.readOnlyHint || lacking(is?.scopes ?? [], was?.scopes ?? []).length > 0
    );
  }
  const list = kind === 'prompt' ? [before.prompts, after.prompts] : [before.resources, after.resources];
  const [was, is] = list.map((one) => one[name]?.scopes ?? []);
  return lacking(is ?? [], was ?? []).length > 0;
}

export function compareEndpoints(scene: Scene): void {
  const { both, gone, fresh } = match(scene.before.endpoints, scene.after.endpoints);
  for (const [name, one] of gone) {
    scene.report({
      rule: 'endpoint-removed',
      entity: `endpoint ${name}`,
      message: `${one.method} ${one.path} is gone.`,
      before: `${one.method} ${one.path}`,
      stability: one.stability,
    });
  }
  for (const [name, one] of fresh) {
    const message = `${one.method} ${one.path} is new.`;
    scene.report({ rule: 'endpoint-added', entity: `endpoint ${name}`, message, after: `${one.method} ${one.path}` });
  }
  for (const pair of both) compareEndpoint(scene, pair);
}

const AUTH: Readonly<Record<string, number>> = { none: 0 };

function compareEndpoint(scene: Scene, { name, before, after }: Pair<EndpointSurface>): void {
  const base = { entity: `endpoint ${name}`, stability: before.stability };
  const [was, is] = [`${before.method} ${before.path}`, `${after.method} ${after.path}`];
  if (was !== is) {
    const message = `${was} became ${is}.`;
    scene.report({ ...base, rule: 'endpoint-address-changed', path: '/path', message, before: was, after: is });
  }
  compareAuth(scene, { name, before, after });
  if ((after.maxBytes ?? Infinity) < (before.maxBytes ?? Infinity)) {
    scene.report({
      ...base,
      rule: 'endpoint-body-limit-lowered',
      path: '/request/max_bytes',
      message: `${is} took bodies of ${before.maxBytes ?? 'any number of'} bytes and takes ${after.maxBytes ?? ''}.`,
      before: before.maxBytes ?? null,
      after: after.maxBytes ?? null,
    });
  }
  for (const type of lacking(before.contentTypes ?? [], after.contentTypes ?? [])) {
    const message = `${is} takes no ${type} any more.`;
    const path = '/request/content_types';
    scene.report({ ...base, rule: 'endpoint-content-type-removed', path, message, before: type });
  }
  if (before.status !== after.status) {
    const ends = { before: before.status, after: after.status };
    const message = `${is} answered ${before.status} and answers ${after.status}.`;
    scene.report({ ...base, rule: 'endpoint-status-changed', path: '/response/status', message, ...ends });
  }
  if (before.impact !== after.impact) {
    const leaves = before.impact === 'mcp_ready';
    scene.report({
      ...base,
      rule: 'impact-class-changed',
      path: '/mcp_impact/class',
      message: `The capability of ${is} was ${before.impact} and is ${after.impact}.`,
      before: before.impact,
      after: after.impact,
      ...(leaves ? { verdict: 'breaking' as const } : {}),
    });
  }
  compareBodies(scene, { name, before, after });
}

function compareAuth(scene: Scene, { name, before, after }: Pair<EndpointSurface>): void {
  const base = { entity: `endpoint ${name}`, stability: before.stability };
  if (before.auth !== after.auth) {
    const opened = (AUTH[after.auth] ?? 1) === 0;
    const closed = (AUTH[before.auth] ?? 1) === 0;
    scene.report({
      ...base,
      rule: opened
        ? 'anonymous-access-added'
        : closed
          ? 'anonymous-access-removed'
          : after.auth === 'account'
            ? 'auth-scheme-added'
            : 'auth-scheme-removed',
      path: '/auth',
      message: `\`${name}\` took ${before.auth} and takes ${after.auth}.`,
      before: before.auth,
      after: after.auth,
      security: opened,
    });
  } else if (before.permission !== after.permission) {
    const more = after.permission === 'write';
    scene.report({
      ...base,
      rule: more ? 'scope-required-added' : 'scope-required-removed',
      path: '/permission',
      message: `\`${name}\` needed ${before.permission ?? 'nothing'} and needs ${after.permission ?? 'nothing'}.`,
      before: before.permission ?? null,
      after: after.permission ?? null,
      security: !more,
    });
  }
}

function compareBodies(scene: Scene, { name, before, after }: Pair<EndpointSurface>): void {
  const base = { entity: `endpoint ${name}`, stability: before.stability };
  if (before.request === undefined && after.request !== undefined) {
    const message = `Bodies of \`${name}\` have a shape now.`;
    scene.report({ ...base, rule: 'endpoint-request-schema-added', path: '/request/schema', message });
  }
  if (before.response !== undefined && after.response === undefined) {
    const message = `The answer of \`${name}\` has no promised shape any more.`;
    scene.report({ ...base, rule: 'endpoint-response-schema-removed', path: '/response/schema', message });
  }
  if (before.title !== after.title || before.description !== after.description) {
    const message = `The title or description of \`${name}\` is worded anew.`;
    scene.report({ ...base, rule: 'endpoint-prose-changed', path: '/description', message });
  }
}
