/** What the runtime is told about each entity, as plain values in the shape of the runtime's contract types. */
import { isJsonObject } from '../../canonical/json.ts';
import type { JsonObject } from '../../canonical/json.ts';
import type { ContractModel, JsonValue, Lifecycle } from '../../model/types.ts';
import type { EmitSource } from '../emitter.ts';

type Values = { readonly [key: string]: unknown };

function lifecycle({ stability, deprecated }: Lifecycle): Values {
  return { stability, ...(deprecated === undefined ? {} : { deprecated }) };
}

const permissionOf = (model: ContractModel, scopes: readonly string[]): 'read' | 'write' =>
  model.scopes.some(({ name, permission }) => permission === 'write' && scopes.includes(name)) ? 'write' : 'read';

export function toolObject(tool: ContractModel['tools'][number], { canonical, projection }: EmitSource): Values {
  const published = projection.tools.get(tool.name);
  const input = canonical.shapes.get(`${tool.typeName}Input`)?.node;
  const { behaviour } = tool;
  return {
    name: tool.name,
    aliases: tool.aliases,
    domain: tool.domain,
    title: tool.title,
    description: tool.description,
    ...lifecycle(tool),
    context: tool.context,
    permission: tool.permission,
    scopes: behaviour.scopes,
    annotations: annotations(tool),
    costClass: behaviour.costClass,
    asyncMode: behaviour.asyncMode,
    ...(tool.job === undefined ? {} : { job: tool.job }),
    idempotency: behaviour.idempotency,
    timeoutMs: behaviour.timeoutSeconds * 1000,
    errors: tool.errors,
    argumentNames: input?.kind === 'object' ? input.properties.map(({ name }) => name) : [],
    inputSchema: published?.inputSchema,
    outputSchema: published?.outputSchema,
  };
}

export function annotations({ behaviour }: ContractModel['tools'][number]): { readonly [hint: string]: boolean } {
  return {
    readOnlyHint: behaviour.readOnly,
    destructiveHint: behaviour.destructive,
    idempotentHint: behaviour.idempotent,
    openWorldHint: behaviour.openWorld,
  };
}

function field({ name, completion }: { readonly name: string; readonly completion?: string }): Values {
  return { name, ...(completion === undefined ? {} : { completion }) };
}

export function resourceObject(resource: ContractModel['resources'][number], model: ContractModel): Values {
  const notFound = resource.references[0]?.error;
  return {
    name: resource.name,
    domain: resource.domain,
    title: resource.title,
    description: resource.description,
    ...lifecycle(resource),
    ...(resource.uri === undefined ? { uriTemplate: resource.uriTemplate } : { uri: resource.uri }),
    mimeType: resource.mimeType,
    context: resource.context,
    permission: permissionOf(model, resource.scopes),
    cache: { ttlMs: resource.cache.ttlSeconds * 1000, scope: resource.cache.scope },
    variables: resource.variables.map(field),
    query: resource.query.map(({ name }) => ({ name })),
    ...(notFound === undefined ? {} : { notFound }),
    ...(resource.text === undefined ? {} : { text: resource.text }),
  };
}

export function promptObject(prompt: ContractModel['prompts'][number], model: ContractModel): Values {
  return {
    name: prompt.name,
    title: prompt.title,
    description: prompt.description,
    ...lifecycle(prompt),
    permission: permissionOf(model, prompt.scopes),
    arguments: prompt.arguments,
    messages: prompt.messages,
  };
}

export function jobObject(job: ContractModel['jobs'][number]): Values {
  return {
    name: job.name,
    aliases: job.aliases,
    title: job.title,
    statuses: Object.fromEntries(job.statuses.map(({ name, class: family }) => [name, family])),
    pollMs: job.pollSeconds * 1000,
    retentionMs: job.retentionDays * 86_400_000,
  };
}

export function errorObject(error: ContractModel['errors'][number]): Values {
  return {
    code: error.code,
    class: error.class,
    retryable: error.retryable,
    http: error.http,
    recovery: error.recovery,
  };
}

export function serverObject({ server }: ContractModel): Values {
  const { name, title, version, uriScheme, instructions } = server;
  return { name, title, version, uriScheme, instructions };
}

/** The value as JSON holds it: without members that are undefined. */
export function plain(value: unknown): JsonValue {
  // because the values above are made of model fields, which are JSON
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}

export function asObject(value: JsonValue): JsonObject {
  return isJsonObject(value) ? value : {};
}
