import {
  choice,
  CODE,
  count,
  day,
  description,
  domain,
  errors,
  flag,
  kindOf,
  lifecycle,
  list,
  name,
  names,
  object,
  schema,
  scopes,
  SNAKE,
  suppress,
  text,
  title,
  word,
} from './parts.ts';
import type { Node } from './parts.ts';
import { PROFILE_NEEDS } from '../model/profile-needs.ts';

const argument = object(
  'One argument; the caller gives it as text.',
  ['name', 'title', 'description', 'required', 'max_length'],
  {
    name: word('Argument name.', SNAKE, { maxLength: 64 }),
    title,
    description: text('What to give and in which form.', 300),
    required: flag('Whether the prompt needs it.'),
    max_length: count('Most characters.', 1, 10_000),
    completion: word('Name of the completion the server offers.', SNAKE, { maxLength: 64 }),
  },
);

const message = object('One message.', ['role', 'text'], {
  role: choice('Who speaks.', ['user', 'assistant']),
  text: text('Text with {{tool "x"}}, {{resource "x"}}, {{prompt "x"}}, {{error "x"}} and {{argument}}.', 20_000),
});

export const prompt: Node = object('One prompt.', ['kind', 'name', 'title', 'description', 'scopes', 'messages'], {
  kind: kindOf('prompt'),
  ...suppress,
  name: word('Prompt name with hyphens; the file has `_` for each `-`.', '^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$', {
    maxLength: 64,
  }),
  title,
  description,
  ...lifecycle,
  scopes,
  arguments: list('Arguments of the prompt.', argument, { maxItems: 16 }),
  messages: list('Messages in order.', message, { minItems: 1, maxItems: 16 }),
});

const status = object('What one status word means.', ['class', 'meaning'], {
  class: choice('succeeded and failed are final.', ['active', 'waiting', 'succeeded', 'failed']),
  meaning: text('What is happening.', 300),
});

export const job: Node = object(
  'One kind of background work.',
  [
    'kind',
    'name',
    'domain',
    'title',
    'description',
    'id',
    'payload',
    'statuses',
    'attempts',
    'timeout_seconds',
    'poll_seconds',
    'retention_days',
  ],
  {
    kind: kindOf('job'),
    ...suppress,
    name,
    aliases: names('Further kinds that get_job and the jobs resource accept.'),
    domain,
    title,
    description,
    id: object('The id of a job of this kind.', ['description', 'maxLength'], {
      description: text('What the id is.', 300),
      maxLength: count('Most characters.', 1, 1024),
    }),
    payload: { ...schema, description: 'What the worker receives.' },
    statuses: {
      type: 'object',
      description: 'The public status words in order of life.',
      minProperties: 1,
      maxProperties: 32,
      propertyNames: { pattern: SNAKE, maxLength: 64 },
      additionalProperties: status,
    },
    progress: { ...schema, description: 'Schema of the progress object.' },
    details: { ...schema, description: 'Schema of `details` in get_job.' },
    resource: word('Template of the thing the job makes.', SNAKE),
    attempts: count('How often the work is tried.', 1, 20),
    timeout_seconds: count('Time after which one attempt is given up.', 1, 604_800),
    poll_seconds: count('How long a caller waits between polls.', 1, 300),
    retention_days: count('How long a finished job can be read.', 1, 3650),
  },
);

const parameter = object('One parameter.', ['in', 'schema'], {
  in: choice('Where it stands in the request.', ['path', 'query', 'header']),
  required: flag('Whether it must be given; path parameters always are.'),
  description: text('What to give.', 300),
  schema: { ...schema, description: 'Schema of the value.' },
});

const mcpImpact = object('How the capability is reached over MCP.', ['class'], {
  class: choice('Where agents find this capability.', ['mcp_ready', 'cli_guided', 'frontend_only', 'out_of_scope']),
  tool: word('Tool that covers it.', SNAKE),
  resource: word('Resource that covers it.', SNAKE),
  prompt: text('Prompt that covers it.', 64),
  reason: text('Why MCP does not offer it.', 500),
});

const surface = word(
  'The part of the server that answers it by itself, which needs only its address; absent: the router does.',
  SNAKE,
  { maxLength: 64 },
);

export const endpoint: Node = object(
  'One REST operation.',
  ['kind', 'name', 'domain', 'title', 'description', 'method', 'path', 'auth', 'mcp_impact', 'response'],
  {
    kind: kindOf('endpoint'),
    ...suppress,
    name,
    domain,
    title,
    description,
    ...lifecycle,
    method: choice('HTTP method.', ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
    path: word('Path with {name} for path parameters.', '^/[^\\s?#]*$', { maxLength: 256 }),
    auth: choice('Which credential it needs; account takes a key and a session.', [
      'none',
      'api_key',
      'session',
      'account',
    ]),
    surface,
    permission: choice('Permission the credential needs.', ['read', 'write']),
    mcp_impact: mcpImpact,
    parameters: {
      type: 'object',
      description: 'Parameters by name.',
      additionalProperties: parameter,
      maxProperties: 32,
    },
    request: object('What the body may be.', ['content_types', 'max_bytes'], {
      content_types: list('Accepted media types.', { type: 'string', maxLength: 128 }, { minItems: 1, maxItems: 8 }),
      max_bytes: count('Largest body in bytes.', 1, 1_073_741_824),
      schema: { ...schema, description: 'Schema of a JSON body; without it the body is raw bytes.' },
    }),
    response: object('What a success answers.', ['status'], {
      status: count('HTTP status.', 200, 399),
      content_type: text('Media type of the body.', 128),
      schema: { ...schema, description: 'Schema of a JSON body.' },
    }),
    errors,
  },
);

const action = object('One form of a page.', ['title', 'destructive'], {
  title: text('What it does, as a person reads it.', 120),
  destructive: flag('Whether it takes something away; such an action asks first.'),
});

export const page: Node = object(
  'One page of the Console.',
  ['kind', 'name', 'domain', 'title', 'path', 'access', 'mcp_impact'],
  {
    kind: kindOf('page'),
    ...suppress,
    name,
    domain,
    title,
    description,
    path: word('Path with {name} for path parameters.', '^/[^\\s?#]*$', { maxLength: 256 }),
    access: choice('Who may open it: anyone, a signed-in person, or a member of the project it names.', [
      'public',
      'person',
      'project',
    ]),
    surface,
    mcp_impact: mcpImpact,
    actions: {
      type: 'object',
      description: 'Forms the page takes, by name.',
      additionalProperties: action,
      propertyNames: { pattern: SNAKE, maxLength: 64 },
      maxProperties: 16,
    },
  },
);

export const model: Node = object(
  'One shape that is shared by name.',
  ['kind', 'name', 'title', 'description', 'schema'],
  {
    kind: kindOf('model'),
    ...suppress,
    name,
    title,
    description,
    schema: { ...schema, description: 'The shape.' },
  },
);

const ERROR_CLASSES = [
  'invalid_input',
  'unauthenticated',
  'permission_denied',
  'not_found',
  'conflict',
  'failed_precondition',
  'limit_exceeded',
  'rate_limited',
  'unavailable',
  'handoff_required',
  'internal_error',
] as const;

const error = object('One error code.', ['code', 'class', 'retryable', 'http', 'meaning', 'when', 'recovery'], {
  code: word('The code.', CODE, { maxLength: 64 }),
  class: choice('Decides how the error renders on each surface.', ERROR_CLASSES),
  implied: flag('Whether every tool may answer it without declaring it.'),
  retryable: flag('Whether the same call may succeed later.'),
  http: count('HTTP status.', 400, 599),
  meaning: text('What is wrong.', 300),
  when: text('What makes it happen.', 300),
  recovery: text('What the caller does next.', 500),
  fields: { ...schema, description: 'Schema of the machine-readable facts.' },
});

export const errorList: Node = object('The closed list of error codes.', ['kind', 'errors'], {
  kind: kindOf('errors'),
  ...suppress,
  errors: list('All codes.', error, { minItems: 1, maxItems: 512 }),
});

const scope = object('One scope.', ['name', 'permission', 'title', 'meaning'], {
  name: word('Scope name.', '^[a-z][a-z0-9_:.-]*$', { maxLength: 128 }),
  permission: choice('Permission it stands for.', ['read', 'write']),
  title,
  meaning: text('What it allows.', 300),
});

export const scopeList: Node = object('The scopes of the server.', ['kind', 'scopes'], {
  kind: kindOf('scopes'),
  ...suppress,
  scopes: list('All scopes.', scope, { minItems: 1, maxItems: 64 }),
});

const domainEntry = object('One domain.', ['name', 'title', 'description', 'skill'], {
  name: word('Domain name.', SNAKE, { maxLength: 64 }),
  title,
  description: text('What the domain is about.', 300),
  skill: word('Skill that teaches it.', '^[a-z][a-z0-9-]*$', { maxLength: 64 }),
});

export const domainList: Node = object('The domains; the order is the dependency ladder.', ['kind', 'domains'], {
  kind: kindOf('domains'),
  ...suppress,
  domains: list('All domains from low to high.', domainEntry, { minItems: 1, maxItems: 64 }),
});

export const server: Node = object(
  'The server itself.',
  ['kind', 'name', 'title', 'version', 'uri_scheme', 'description', 'instructions'],
  {
    kind: kindOf('server'),
    ...suppress,
    name: word('Server name.', '^[a-zA-Z][a-zA-Z0-9_-]*$', { maxLength: 64 }),
    title,
    version: word('Semantic version of the contract.', '^\\d+\\.\\d+\\.\\d+(?:-[0-9A-Za-z.-]+)?$'),
    uri_scheme: word('Scheme of all resource URIs.', '^[a-z][a-z0-9+.-]*$', { maxLength: 32 }),
    description,
    instructions: text('What a client tells its model about the server, the key facts first.', 2000),
    budgets: object('What the catalogue may cost an agent, in tokens of o200k; `lint` and `cost` fail beyond.', [], {
      tool: count('Name, description and input of one tool.', 1, 100_000),
      mean: count('The same, on average over all tools.', 1, 100_000),
      catalogue: count('The same, of all tools together.', 1, 10_000_000),
      with_output: count('All tools with compact output schemas and annotations.', 1, 10_000_000),
      output_share: count('Most per cent of that which output schemas take.', 1, 100),
      growth: count('Most per cent by which the tools of the last release may have grown since.', 0, 1000),
    }),
  },
);

/** Limits a profile may set, with what each one counts. */
const PROFILE_LIMITS: Readonly<Record<string, string>> = {
  tool_name: 'Characters of a tool name.',
  prefixed_tool_name: 'Characters of a tool name with the prefix the host puts before it.',
  host_prefix: 'Characters of that prefix without the server name.',
  tool_description: 'Characters of a tool description.',
  argument_description: 'Characters of an argument description.',
  tools: 'Tools in one listing.',
  instructions: 'Characters of the server instructions.',
  schema_depth: 'Levels of nesting in a schema.',
  schema_properties: 'Properties in one input schema.',
  definition_characters: 'Characters of one tool definition.',
  result_tokens: 'Tokens of one result.',
};

const profileSource = object('Where something was seen.', ['of', 'source', 'seen'], {
  of: text('The limit, the refused keyword (`root anyOf` at the root) or the need.', 64),
  source: text('Address of the document or report.', 500),
  seen: day('Day on which it was read.'),
});

export const profile: Node = object(
  'What one client or model provider accepts.',
  ['kind', 'name', 'title', 'description', 'limits'],
  {
    kind: kindOf('profile'),
    ...suppress,
    name,
    title,
    description,
    limits: object(
      'Limits; what is absent does not apply.',
      [],
      Object.fromEntries(
        Object.entries(PROFILE_LIMITS).map(([limit, meaning]) => [limit, count(meaning, 0, 10_000_000)]),
      ),
    ),
    refuses: list(
      'Schema keywords that must not reach this client.',
      { type: 'string', maxLength: 64 },
      { maxItems: 64, uniqueItems: true },
    ),
    refuses_at_root: list(
      'Schema keywords that must not stand at the root of an input.',
      { type: 'string', maxLength: 64 },
      { maxItems: 64, uniqueItems: true },
    ),
    needs: list('What it wants of every tool beside that.', choice('One such thing.', [...PROFILE_NEEDS]), {
      maxItems: 16,
      uniqueItems: true,
    }),
    sources: list('Where each limit, refusal and need was seen.', profileSource, { maxItems: 64 }),
  },
);

const approval = object('One finding that is approved.', ['rule', 'entity', 'fingerprint'], {
  rule: text('Rule of the finding.', 64),
  entity: text('Entity it is about.', 128),
  fingerprint: text('Fingerprint the gate prints.', 128),
});

export const change: Node = object(
  'One approved change of the published surface.',
  ['kind', 'date', 'reason', 'owner', 'approves'],
  {
    kind: kindOf('change'),
    date: day('Day of the approval.'),
    reason: text('Why callers must live with it.', 1000),
    migration: text('What callers do.', 1000),
    owner: text('Who answers for it.', 120),
    expires: day('Day after which the approval no longer counts.'),
    link: text('Where it was discussed.', 500),
    approves: list('Findings that are approved.', approval, { minItems: 1, maxItems: 256 }),
  },
);

const tombstone = object('One withdrawn name.', ['kind', 'name', 'removed', 'reason'], {
  kind: choice('What carried the name.', ['tool', 'resource', 'prompt', 'job', 'error', 'scope', 'argument', 'value']),
  of: text('Name of the entity that held an argument or value.', 128),
  name: text('The name that stays reserved.', 256),
  removed: word('Version that withdrew it.', '^\\d+\\.\\d+\\.\\d+$'),
  replacement: text('What to use instead.', 256),
  reason: text('Why it went away.', 500),
});

export const tombstoneList: Node = object(
  'Names that must not come back with another meaning.',
  ['kind', 'tombstones'],
  {
    kind: kindOf('tombstones'),
    tombstones: list('All withdrawn names.', tombstone, { minItems: 1, maxItems: 2048 }),
  },
);
