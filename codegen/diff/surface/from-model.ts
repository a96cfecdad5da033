import type { CanonicalModel } from '../../canonical/index.ts';
import type { ContractModel, JsonPath, JsonSchema, Lifecycle } from '../../model/types.ts';
import { pointer } from '../../load/positions.ts';
import type { Projection } from '../../project/index.ts';
import { promptTools } from '../compare/mentions.ts';
import { viewsOf } from './views.ts';
import {
  SURFACE_FORMAT,
  type DefinitionSurface,
  type EndpointSurface,
  type Living,
  type ResourceSurface,
  type ServerSurface,
  type Surface,
  type ToolSurface,
  type VariableSurface,
} from './types.ts';

/** Protocol revisions every server of this compiler speaks, oldest first. */
const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const;
const CAPABILITIES = ['completions', 'prompts', 'resources', 'tools'];

export interface ModelParts {
  readonly model: ContractModel;
  readonly canonical: CanonicalModel;
  readonly projection: Projection;
}

/** The surface a contract tree promises. */
export function surfaceOfModel(parts: ModelParts): Surface {
  const { model } = parts;
  const surface: Omit<Surface, 'views'> = {
    format: SURFACE_FORMAT,
    origin: 'contracts',
    server: serverOf(model),
    definitions: definitionsOf(model),
    tools: byName(model.tools, (tool) => toolOf(tool, parts)),
    resources: byName(model.resources, resourceOf),
    prompts: byName(model.prompts, ({ title, description, scopes, arguments: list, messages, ...one }) => ({
      title,
      description,
      ...livingOf(one),
      scopes,
      arguments: list,
      messages,
      tools: promptTools(messages, Object.keys(Object.fromEntries(model.tools.map(({ name }) => [name, true])))),
    })),
    jobs: byName(model.jobs, ({ title, description, aliases, statuses, pollSeconds, retentionDays, id, ...one }) => ({
      title,
      description,
      aliases,
      statuses,
      pollSeconds,
      retentionDays,
      idMaxLength: id.maxLength,
      ...(one.progress === undefined ? {} : { progress: one.progress }),
      ...(one.details === undefined ? {} : { details: one.details }),
      ...(one.resource === undefined ? {} : { resource: one.resource }),
    })),
    errors: Object.fromEntries(
      model.errors.map(({ code, class: family, implied, retryable, http, meaning, recovery, fields }) => [
        code,
        {
          class: family,
          implied,
          retryable,
          http,
          meaning,
          recovery,
          ...(fields === undefined ? {} : { fields }),
        },
      ]),
    ),
    scopes: byName(model.scopes, ({ permission, title, meaning }) => ({ permission, title, meaning })),
    endpoints: byName(model.endpoints, (one) => endpointOf(one, parts)),
    profiles: byName(model.profiles, ({ limits, refuses }) => ({ limits, refuses })),
    tombstones: model.tombstones.map(({ kind, of, name, removed }) => ({ kind, of, name, removed })),
  };
  return { ...surface, views: viewsOf(surface) };
}

function byName<T extends { readonly name: string }, U>(list: readonly T[], make: (one: T) => U): Record<string, U> {
  return Object.fromEntries(list.map((one) => [one.name, make(one)]));
}

function livingOf({ stability, deprecated }: Lifecycle): Living {
  return { stability, ...(deprecated === undefined ? {} : { deprecated }) };
}

function serverOf({ server }: ContractModel): ServerSurface {
  const { name, title, version, instructions, uriScheme } = server;
  return { name, title, version, instructions, uriScheme, revisions: REVISIONS, capabilities: CAPABILITIES };
}

function definitionsOf(model: ContractModel): Record<string, DefinitionSurface> {
  const owners = new Map<string, string>();
  for (const one of model.tools) {
    for (const end of ['Input', 'Output']) owners.set(one.typeName + end, `tool ${one.name}`);
  }
  for (const one of model.resources) owners.set(`${one.typeName}Payload`, `resource ${one.name}`);
  for (const one of model.models) owners.set(one.typeName, `model ${one.name}`);
  for (const one of model.jobs) {
    for (const end of ['JobPayload', 'Progress', 'Details']) owners.set(one.typeName + end, `job ${one.name}`);
  }
  for (const one of model.endpoints) {
    for (const end of ['Request', 'Response']) owners.set(one.typeName + end, `endpoint ${one.name}`);
  }
  return Object.fromEntries([
    ...model.models.map(({ name, typeName, schema }): [string, DefinitionSurface] => [
      typeName,
      { entity: `model ${name}`, path: '/schema', schema },
    ]),
    ...model.definitions.map(({ typeName, owner, path, schema }): [string, DefinitionSurface] => [
      typeName,
      { entity: owners.get(owner) ?? owner, path: pointer(path), schema },
    ]),
  ]);
}

function toolOf(tool: ContractModel['tools'][number], { canonical, projection }: ModelParts): ToolSurface {
  const { behaviour } = tool;
  const published = projection.tools.get(tool.name);
  const body = (end: 'Input' | 'Output'): JsonSchema => canonical.shapes.get(tool.typeName + end)?.schema ?? {};
  return {
    title: tool.title,
    description: tool.description,
    aliases: tool.aliases,
    ...livingOf(tool),
    hints: {
      readOnlyHint: behaviour.readOnly,
      destructiveHint: behaviour.destructive,
      idempotentHint: behaviour.idempotent,
      openWorldHint: behaviour.openWorld,
    },
    input: body('Input'),
    output: body('Output'),
    published: {
      input: published === undefined ? {} : { ...published.inputSchema },
      ...(published === undefined ? {} : { output: published.outputSchema.compact }),
    },
    scopes: behaviour.scopes,
    costClass: behaviour.costClass,
    asyncMode: behaviour.asyncMode,
    ...(tool.job === undefined ? {} : { job: tool.job }),
    idempotency: behaviour.idempotency,
    timeoutSeconds: behaviour.timeoutSeconds,
    context: tool.context,
    errors: tool.declaredErrors,
  };
}

function resourceOf(one: ContractModel['resources'][number]): ResourceSurface {
  return {
    title: one.title,
    description: one.description,
    ...livingOf(one),
    ...(one.uri === undefined ? { uriTemplate: one.uriTemplate ?? '' } : { uri: one.uri }),
    mimeType: one.mimeType,
    content: 'text',
    context: one.context,
    scopes: one.scopes,
    cache: one.cache,
    variables: variablesOf(one.variables),
    query: variablesOf(one.query),
    ...(one.payload === undefined ? {} : { payload: one.payload }),
    ...(one.text === undefined ? {} : { text: one.text }),
    errors: one.errors,
  };
}

function variablesOf(list: ContractModel['resources'][number]['variables']): Record<string, VariableSurface> {
  return byName(list, ({ description, schema, completion }) => ({
    description,
    schema,
    ...(completion === undefined ? {} : { completion }),
  }));
}

function endpointOf(one: ContractModel['endpoints'][number], { canonical }: ModelParts): EndpointSurface {
  return {
    title: one.title,
    description: one.description,
    ...livingOf(one),
    method: one.method,
    path: one.path,
    auth: one.auth,
    ...(one.permission === undefined ? {} : { permission: one.permission }),
    impact: one.mcpImpact.class,
    ...(one.request === undefined
      ? {}
      : { maxBytes: one.request.maxBytes, contentTypes: one.request.contentTypes.toSorted() }),
    parameters: canonical.shapes.get(`${one.typeName}Parameters`)?.schema ?? true,
    ...(one.request?.schema === undefined ? {} : { request: one.request.schema }),
    ...(one.response.schema === undefined ? {} : { response: one.response.schema }),
    status: one.response.status,
    errors: one.errors,
  };
}

/** Where an entity's contract is, for findings to point at. */
export function sourcesOf(model: ContractModel): ReadonlyMap<string, ContractModel['tools'][number]['source']> {
  const sources = new Map([['server', model.server.source]]);
  const lists = [model.tools, model.resources, model.prompts, model.jobs, model.endpoints, model.models];
  for (const list of lists) for (const one of list) sources.set(`${one.kind} ${one.name}`, one.source);
  for (const one of model.errors) sources.set(`error ${one.code}`, one.source);
  for (const one of model.scopes) sources.set(`scope ${one.name}`, one.source);
  for (const one of model.profiles) sources.set(`profile ${one.name}`, one.source);
  for (const one of model.changes) sources.set(`change ${one.name}`, one.source);
  return sources;
}

export function pathOf(text: string): JsonPath {
  return text
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((step) => (/^\d+$/u.test(step) ? Number(step) : step));
}
