import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { CatalogContract, ErrorContract, ToolContract, Validator, WireSchema } from '../../../src/mcp/contract.ts';

type Schema = Record<string, unknown>;

const inputs = new Ajv2020({ strict: false, allErrors: true, useDefaults: true });
const outputs = new Ajv2020({ strict: false, allErrors: true });
for (const ajv of [inputs, outputs]) formats.default(ajv);

function compile(ajv: Ajv2020, schema: Schema): Validator {
  const validate = ajv.compile(schema);
  // because ajv's own validator type is a superset of ours
  return validate as unknown as Validator;
}

const object = (properties: Schema, required: string[] = []): Schema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const text = (maxLength = 255): Schema => ({ type: 'string', maxLength });
const LINK = object({ uri: text(512), title: text(160), mimeType: text(64) }, ['uri', 'title', 'mimeType']);
const RECEIPT = object({ kind: text(64), id: text(), status: text(64), resource: LINK }, [
  'kind',
  'id',
  'status',
  'resource',
]);
const ITEM = object(
  { id: text(), name: text(20_000), note: text(20_000), extra: { type: 'object', maxProperties: 100 } },
  ['id', 'name'],
);

/** The same schema without `additionalProperties: false`, as it is published for outputs. */
function open(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(open);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key, value]) => !(key === 'additionalProperties' && value === false))
      .map(([key, value]) => [key, open(value)]),
  );
}

interface ToolDraft extends Partial<ToolContract> {
  readonly name: string;
  readonly input: Schema;
  readonly output: Schema;
}

function tool(draft: ToolDraft): { contract: ToolContract; input: Schema; output: Schema } {
  const { input, output, ...rest } = draft;
  const readOnly = (rest.permission ?? 'read') === 'read';
  const properties = input['properties'] as Schema;
  const required = (input['required'] ?? []) as string[];
  const account: WireSchema =
    (rest.context ?? 'project') === 'project'
      ? {
          ...input,
          properties: { ...properties, project_id: { type: 'string' } },
          required: [...required, 'project_id'],
        }
      : input;
  // because opening an object schema gives an object schema
  const published = open(output) as WireSchema;
  const contract: ToolContract = {
    aliases: [],
    domain: 'stock',
    title: rest.name,
    description: `Does the work of ${rest.name}.`,
    context: 'project',
    permission: 'read',
    scopes: ['stock:read'],
    annotations: { readOnlyHint: readOnly, destructiveHint: false, idempotentHint: readOnly, openWorldHint: false },
    costClass: 'free',
    asyncMode: 'sync',
    idempotency: readOnly ? 'natural' : 'none',
    timeoutMs: 5_000,
    errors: [],
    stability: 'stable',
    argumentNames: Object.keys(properties),
    inputSchema: { account, project: input },
    outputSchema: { compact: published, full: published },
    ...rest,
  };
  return { contract, input, output };
}

const DRAFTS = [
  tool({
    name: 'whoami',
    input: object({ delay_ms: { type: 'integer', minimum: 0, maximum: 1000, default: 0 } }),
    output: object({ project_id: text(), subject: text() }, ['project_id', 'subject']),
  }),
  tool({
    name: 'list_workspaces',
    context: 'account',
    input: object({}),
    output: object({ subject: text() }, ['subject']),
  }),
  tool({
    name: 'list_items',
    errors: ['item_not_found'],
    input: object({
      limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
      status: { type: 'string', enum: ['open', 'closed'] },
      since: { type: 'string', format: 'date-time' },
      label: { type: 'string', minLength: 1, maxLength: 20 },
      ids: { type: 'array', items: text(64), maxItems: 50 },
      filter: object({ owner: text(64), min_priority: { type: 'integer' } }),
      row: { type: 'object', maxProperties: 20 },
    }),
    output: object(
      { summary: text(), echo: { type: 'object' }, items: { type: 'array', items: ITEM, maxItems: 100 } },
      ['summary', 'items'],
    ),
  }),
  tool({
    name: 'get_item',
    aliases: ['find_item'],
    errors: ['item_not_found'],
    input: object({ item: { type: 'string', minLength: 1, maxLength: 255 } }, ['item']),
    output: object({ item: ITEM, resource: LINK, resource_links: { type: 'array', items: LINK, maxItems: 10 } }, [
      'item',
      'resource',
    ]),
  }),
  tool({
    name: 'create_item',
    permission: 'write',
    scopes: ['stock:write'],
    idempotency: 'key',
    errors: ['item_invalid'],
    input: object(
      {
        name: { type: 'string', minLength: 1, maxLength: 100 },
        request_key: { type: 'string', minLength: 8, maxLength: 128 },
      },
      ['name'],
    ),
    output: object({ id: text(), resource: LINK }, ['id', 'resource']),
  }),
  tool({
    name: 'start_import',
    permission: 'write',
    scopes: ['stock:write'],
    asyncMode: 'job',
    job: 'import_run',
    input: object({ source: text() }, ['source']),
    output: object({ job: RECEIPT }, ['job']),
  }),
  tool({
    name: 'linger',
    timeoutMs: 60_000,
    input: object({ breaks: { type: 'boolean', default: false } }),
    output: object({}),
  }),
  tool({
    name: 'misbehave',
    timeoutMs: 80,
    errors: ['item_invalid'],
    input: object(
      {
        how: {
          type: 'string',
          enum: ['leak', 'undeclared', 'unknown_code', 'bad_output', 'hang', 'huge', 'secret_error'],
        },
      },
      ['how'],
    ),
    output: object({ ok: { type: 'boolean' }, blob: { type: 'string' } }, ['ok']),
  }),
  tool({
    name: 'old_lookup',
    deprecated: { since: '1.0.0', sunset: '2030-01-01', replacement: 'get_item', reason: 'get_item answers more' },
    input: object({}),
    output: object({ ok: { type: 'boolean' } }, ['ok']),
  }),
  tool({
    name: 'ancient_lookup',
    deprecated: { since: '0.1.0', sunset: '2020-01-01', replacement: 'get_item', reason: 'nobody uses it' },
    input: object({}),
    output: object({ ok: { type: 'boolean' } }, ['ok']),
  }),
  tool({
    name: 'regional',
    input: object({ region: { type: 'string', maxLength: 20, 'x-mcp-header': 'Region' } }),
    output: object({ region: text() }, ['region']),
  }),
].toSorted((a, b) => (a.contract.name < b.contract.name ? -1 : 1));

const error = (code: string, errorClass: string, http: number, retryable = false): ErrorContract => ({
  code,
  class: errorClass,
  http,
  retryable,
  recovery: `Recover from ${code}.`,
});
const ERRORS = [
  error('authentication_required', 'unauthenticated', 401),
  error('authentication_failed', 'unauthenticated', 401),
  error('permission_denied', 'permission_denied', 403),
  error('project_required', 'permission_denied', 403),
  error('invalid_request', 'invalid_input', 400),
  error('protocol_version_unsupported', 'invalid_input', 400),
  error('origin_not_allowed', 'permission_denied', 403),
  error('invalid_tool', 'invalid_input', 404),
  error('tool_retired', 'failed_precondition', 410),
  error('invalid_input', 'invalid_input', 400),
  error('invalid_output', 'internal_error', 500),
  error('internal_error', 'internal_error', 500, true),
  error('rate_limited', 'rate_limited', 429, true),
  error('unavailable', 'unavailable', 503, true),
  error('request_conflict', 'conflict', 409),
  error('resource_not_found', 'not_found', 404),
  error('item_not_found', 'not_found', 404),
  error('item_invalid', 'failed_precondition', 409),
];

export function stockContract(): CatalogContract {
  return {
    server: {
      name: 'stock-room',
      title: 'Stock room',
      version: '1.2.3',
      uriScheme: 'stock',
      instructions: 'Read stock://help first.',
    },
    contractHash: 'a'.repeat(64),
    tombstones: [{ kind: 'tool', name: 'lost_lookup', removed: '1.1.0', replacement: 'get_item' }],
    tools: DRAFTS.map((draft) => draft.contract),
    resources: [
      {
        name: 'help',
        domain: 'stock',
        title: 'Help',
        description: 'How to use the stock room.',
        uri: 'stock://help',
        mimeType: 'text/plain',
        context: 'none',
        permission: 'read',
        cache: { ttlMs: 60_000, scope: 'private' },
        variables: [],
        query: [],
        text: 'List items, then read one.',
        stability: 'stable',
      },
      {
        name: 'item',
        domain: 'stock',
        title: 'Item',
        description: 'One item.',
        uriTemplate: 'stock://items/{item}',
        mimeType: 'application/json',
        context: 'project',
        permission: 'read',
        cache: { ttlMs: 0, scope: 'private' },
        variables: [{ name: 'item', completion: 'item' }],
        query: [{ name: 'period' }],
        notFound: 'item_not_found',
        stability: 'stable',
      },
    ],
    prompts: [
      {
        name: 'review-item',
        title: 'Review an item',
        description: 'Looks at one item.',
        permission: 'read',
        stability: 'stable',
        arguments: [
          { name: 'item', title: 'Item', description: 'Which one.', required: true, maxLength: 40, completion: 'item' },
          { name: 'focus', title: 'Focus', description: 'What to look at.', required: false, maxLength: 40 },
        ],
        messages: [
          {
            role: 'user',
            parts: [
              { text: 'Review ' },
              { argument: 'item' },
              { text: ' by `get_item`, looking at ' },
              { argument: 'focus' },
            ],
          },
        ],
      },
    ],
    jobs: [
      {
        name: 'import_run',
        aliases: ['import'],
        title: 'Import',
        statuses: { queued: 'active', running: 'active', paused: 'waiting', done: 'succeeded', broken: 'failed' },
        pollMs: 1_000,
        retentionMs: 86_400_000,
      },
    ],
    errors: Object.fromEntries(ERRORS.map((entry) => [entry.code, entry])),
    validators: {
      toolInput: Object.fromEntries(DRAFTS.map(({ contract, input }) => [contract.name, compile(inputs, input)])),
      toolOutput: Object.fromEntries(DRAFTS.map(({ contract, output }) => [contract.name, compile(outputs, output)])),
      resourceVariables: {
        item: compile(
          outputs,
          object(
            { item: { type: 'string', minLength: 1, maxLength: 255 }, period: { type: 'string', enum: ['1h', '24h'] } },
            ['item'],
          ),
        ),
      },
      resourcePayload: {
        item: compile(outputs, object({ uri: text(512), item: ITEM, resource: LINK, period: text() }, ['uri', 'item'])),
      },
      promptArguments: {},
    },
  };
}
