/** The REST operations as an OpenAPI 3.1 document, whose schemas are JSON Schema 2020-12 as the contracts are. */
import { bundleDefs } from '../../model/bundle.ts';
import { compareText, sortMembers } from '../../canonical/json.ts';
import type { ContractModel, EndpointSpec, JsonSchema, JsonValue } from '../../model/types.ts';
import { plain } from '../catalog/contract-objects.ts';
import type { EmitInput, Emitted } from '../emitter.ts';
import { literal } from '../literal.ts';
import { routed } from './surfaces.ts';

/** Keywords of the contract grammar that mean nothing to others. */
const OWN_KEYWORDS: ReadonlySet<string> = new Set(['id_kind', 'default_note']);
const PROBLEM = 'Problem';
const SESSION = 'The cookie of a signed-in person. What changes something also needs the X-Csrf-Token header.';
const SECURITY: Readonly<Record<EndpointSpec['auth'], readonly object[]>> = {
  none: [],
  api_key: [{ api_key: [] }],
  session: [{ session: [] }],
  account: [{ api_key: [] }, { session: [] }],
};

export function emitOpenApi({ canonical: { model } }: EmitInput): Emitted {
  if (model.endpoints.length === 0) return new Map();
  const document = sortMembers(
    plain({
      openapi: '3.1.0',
      info: { title: model.server.title, version: model.server.version, description: model.server.description },
      paths: pathsOf(model),
      components: {
        schemas: { ...schemasOf(model), [PROBLEM]: problem(model) },
        securitySchemes: {
          api_key: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
          session: { type: 'apiKey', in: 'cookie', name: 'overmind_session', description: SESSION },
        },
      },
    }),
  );
  return new Map([['openapi.json', { source: '', body: `${literal(document, 2)}\n` }]]);
}

function pathsOf(model: ContractModel): object {
  const paths = new Map<string, Record<string, object>>();
  for (const endpoint of routed(model.endpoints)) {
    const operations = paths.get(endpoint.path) ?? {};
    operations[endpoint.method.toLowerCase()] = operationOf(endpoint, model);
    paths.set(endpoint.path, operations);
  }
  return Object.fromEntries([...paths].sort(([left], [right]) => compareText(left, right)));
}

function operationOf(endpoint: EndpointSpec, model: ContractModel): object {
  const { request, response } = endpoint;
  return {
    operationId: endpoint.name,
    tags: [endpoint.domain],
    summary: endpoint.title,
    description: endpoint.description,
    ...(endpoint.deprecated === undefined ? {} : { deprecated: true }),
    security: SECURITY[endpoint.auth],
    parameters: endpoint.parameters.map((one) => ({
      name: one.name,
      in: one.in,
      required: one.required,
      description: one.description,
      schema: published(one.schema),
    })),
    ...(request === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: Object.fromEntries(request.contentTypes.map((type) => [type, mediaOf(request.schema)])),
          },
        }),
    responses: {
      [response.status]: {
        description: 'Done.',
        ...(response.contentType === undefined
          ? {}
          : { content: { [response.contentType]: mediaOf(response.schema) } }),
      },
      ...errorsOf(endpoint, model),
      default: { description: 'Any other refusal.', content: problemContent() },
    },
  };
}

function errorsOf(endpoint: EndpointSpec, model: ContractModel): object {
  const codes = model.errors.filter(({ code }) => endpoint.errors.includes(code));
  const statuses = [...new Set(codes.map(({ http }) => http))].sort((left, right) => left - right);
  return Object.fromEntries(
    statuses.map((status) => {
      const named = codes.filter(({ http }) => http === status);
      const description = named.map(({ code, meaning }) => `\`${code}\`: ${meaning}`).join(' ');
      return [status, { description, content: problemContent() }];
    }),
  );
}

function problemContent(): object {
  return { 'application/problem+json': { schema: { $ref: `#/components/schemas/${PROBLEM}` } } };
}

function problem(model: ContractModel): object {
  return {
    type: 'object',
    required: ['type', 'status', 'detail', 'code', 'retryable', 'fields', 'request_id'],
    properties: {
      type: { type: 'string' },
      status: { type: 'integer' },
      detail: { type: 'string' },
      code: { type: 'string', examples: model.errors.map(({ code }) => code).slice(0, 3) },
      retryable: { type: 'boolean' },
      fields: { type: 'object' },
      request_id: { type: 'string' },
    },
  };
}

function mediaOf(schema: JsonSchema | undefined): object {
  return schema === undefined ? {} : { schema: published(schema) };
}

/** Named models that operations reach; the tools' own shapes are not REST's to publish. */
function schemasOf(model: ContractModel): object {
  const defs = bundleDefs(model);
  const wanted = new Set<string>();
  const visit = (value: unknown): void => {
    for (const [, name = ''] of JSON.stringify(value ?? null).matchAll(/"#\/\$defs\/([^"]+)"/g)) {
      if (wanted.has(name)) continue;
      wanted.add(name);
      visit(defs[name]);
    }
  };
  for (const { parameters, request, response } of routed(model.endpoints))
    visit([parameters.map(({ schema }) => schema), request?.schema, response.schema]);
  return Object.fromEntries([...wanted].sort(compareText).map((name) => [name, published(defs[name] ?? true)]));
}

function published(schema: JsonValue): JsonValue {
  if (Array.isArray(schema)) return schema.map(published);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => !OWN_KEYWORDS.has(key))
      .map(([key, value]) => [
        key,
        key === '$ref' && typeof value === 'string'
          ? value.replace('#/$defs/', '#/components/schemas/')
          : published(value),
      ]),
  );
}
