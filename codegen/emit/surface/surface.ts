/**
 * Everything a client can see, as data: what each tool, resource and prompt publishes, and which of them each kind of
 * credential is shown in each protocol era. Its digest is the contract hash the server tells.
 */
import { createHash } from 'node:crypto';
import { objectOf, sortMembers } from '../../canonical/json.ts';
import type { JsonObject } from '../../canonical/json.ts';
import type { ContractModel, JsonValue, Permission } from '../../model/types.ts';
import {
  annotations,
  asObject,
  errorObject,
  jobObject,
  plain,
  promptObject,
  resourceObject,
  serverObject,
} from '../catalog/contract-objects.ts';
import type { EmitInput, EmitSource, Emitted } from '../emitter.ts';
import { literal } from '../literal.ts';

const ERAS = ['2025-11-25', '2026-07-28'] as const;
const ACCESS = ['account', 'project'] as const;
const GRANTS: readonly { readonly name: string; readonly permissions: readonly Permission[] }[] = [
  { name: 'read', permissions: ['read'] },
  { name: 'read_write', permissions: ['read', 'write'] },
];

export function surfaceOf(input: EmitSource): JsonObject {
  const { model } = input.canonical;
  const content = asObject(
    sortMembers(
      plain({
        server: serverObject(model),
        tools: Object.fromEntries(model.tools.map((tool) => [tool.name, toolSurface(tool, input)])),
        resources: Object.fromEntries(model.resources.map((one) => [one.name, resourceSurface(one, input)])),
        prompts: Object.fromEntries(
          model.prompts.map((one) => [one.name, { ...promptObject(one, model), scopes: one.scopes }]),
        ),
        jobs: Object.fromEntries(
          model.jobs.map((one) => [
            one.name,
            { ...jobObject(one), description: one.description, meanings: one.statuses },
          ]),
        ),
        errors: Object.fromEntries(
          model.errors.map((one) => [one.code, { ...errorObject(one), meaning: one.meaning }]),
        ),
        scopes: Object.fromEntries(
          model.scopes.map(({ name, permission, title, meaning }) => [name, { permission, title, meaning }]),
        ),
        views: views(model),
      }),
    ),
  );
  return { contractHash: sha256(JSON.stringify(content)), ...content };
}

export function emitSurface({ surface }: EmitInput): Emitted {
  return new Map([['surface.json', { source: '', body: `${literal(surface, 2)}\n` }]]);
}

function toolSurface(tool: ContractModel['tools'][number], { canonical, projection }: EmitSource): object {
  const published = projection.tools.get(tool.name);
  const shapes = ['Input', 'Output'].map((end) => canonical.shapes.get(`${tool.typeName}${end}`)?.schema ?? {});
  return {
    title: tool.title,
    description: tool.description,
    domain: tool.domain,
    stability: tool.stability,
    deprecated: tool.deprecated,
    aliases: tool.aliases,
    context: tool.context,
    permission: tool.permission,
    scopes: tool.behaviour.scopes,
    annotations: annotations(tool),
    costClass: tool.behaviour.costClass,
    asyncMode: tool.behaviour.asyncMode,
    job: tool.job,
    idempotency: tool.behaviour.idempotency,
    errors: tool.declaredErrors,
    references: tool.references,
    inputSchema: published?.inputSchema,
    outputSchema: published?.outputSchema,
    authored: { input: shapes[0], output: shapes[1] },
  };
}

function resourceSurface(resource: ContractModel['resources'][number], { canonical }: EmitSource): object {
  return {
    ...resourceObject(resource, canonical.model),
    scopes: resource.scopes,
    errors: resource.errors,
    authored: { variables: resource.variables, query: resource.query, payload: resource.payload },
  };
}

/** Names shown to each grant in each era; what the names stand for is above. */
function views(model: ContractModel): JsonObject {
  const entries = ACCESS.flatMap((access) =>
    GRANTS.map(({ name, permissions }): [string, JsonValue] => {
      const shown = {
        tools: model.tools
          .filter((tool) => permissions.includes(tool.permission))
          .map((tool) => ({ name: tool.name, inputSchema: access })),
        resources: model.resources
          .filter((one) => one.uri !== undefined && readable(one, model, permissions))
          .map((one) => one.name),
        resourceTemplates: model.resources
          .filter((one) => one.uri === undefined && readable(one, model, permissions))
          .map((one) => one.name),
        prompts: model.prompts
          .filter((one) =>
            permissions.includes(String(promptObject(one, model)['permission']) === 'write' ? 'write' : 'read'),
          )
          .map((one) => one.name),
      };
      return [`${access}/${name}`, Object.fromEntries(ERAS.map((era) => [era, shown]))];
    }),
  );
  return objectOf(entries);
}

function readable(
  resource: ContractModel['resources'][number],
  model: ContractModel,
  permissions: readonly Permission[],
): boolean {
  return permissions.includes(resourceObject(resource, model)['permission'] === 'write' ? 'write' : 'read');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
