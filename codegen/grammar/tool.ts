import {
  choice,
  count,
  description,
  errors,
  flag,
  kindOf,
  lifecycle,
  list,
  names,
  object,
  project,
  references,
  schema,
  scopes,
  suppress,
  text,
  title,
  word,
} from './parts.ts';
import type { Node } from './parts.ts';

const behaviour = object(
  'What a call does; clients decide by it whether to ask a person.',
  [
    'read_only',
    'destructive',
    'idempotent',
    'open_world',
    'scopes',
    'cost_class',
    'async_mode',
    'idempotency',
    'timeout_seconds',
  ],
  {
    read_only: flag('Whether a call changes nothing.'),
    destructive: { type: 'boolean', description: 'Always false: destructive tools are not offered.' },
    idempotent: flag('Whether repeating a call changes nothing more.'),
    open_world: flag('Whether a call reaches systems outside this server.'),
    scopes,
    cost_class: choice('What a call spends.', ['free', 'compute', 'llm', 'gpu']),
    async_mode: choice('`sync` answers the result, `job` answers a receipt.', ['sync', 'job']),
    idempotency: choice('`natural`: repeats are harmless; `key`: adds request_key; `none`: repeats act again.', [
      'none',
      'natural',
      'key',
    ]),
    timeout_seconds: count('Time after which a call is given up.', 1, 60),
  },
);

const example = object('A call that works.', ['name', 'input'], {
  name: text('What the example shows.', 120),
  input: { type: 'object', description: 'Arguments; they must validate.' },
  output: { type: 'object', description: 'Result; it must validate.' },
});

export const tool: Node = object(
  'One tool of the MCP server.',
  ['kind', 'name', 'title', 'description', 'behaviour', 'project', 'output', 'examples'],
  {
    kind: kindOf('tool'),
    ...suppress,
    name: text('Tool name, verb first, equal to the file name.', 128),
    aliases: names('Old names that still resolve and are never listed.'),
    title,
    description,
    ...lifecycle,
    behaviour,
    project,
    references: references('argument'),
    input: { ...schema, description: 'Arguments. Leave it out only with `no_arguments: true`.' },
    no_arguments: { const: true, description: 'States that the tool takes no arguments.' },
    output: { ...schema, description: 'Result object.' },
    job: word('Kind of the receipt in output.job, when async_mode is job.', '^[a-z][a-z0-9_]*$'),
    errors,
    examples: list('Calls that the generated tests run.', example, { minItems: 1, maxItems: 16 }),
  },
);
