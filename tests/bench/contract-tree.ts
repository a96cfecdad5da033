import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { catalogue } from './catalogue.ts';

const without = (schema: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(schema).filter(([key]) => key !== 'additionalProperties'));

/** Writes the benchmark's catalogue as a contract folder of `size` tools, so that the compiler does its real work. */
export function writeContractTree(folder: string, size: number): void {
  rmSync(folder, { recursive: true, force: true });
  const put = (path: string, document: unknown): void => {
    const file = join(folder, path);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, stringify(document, { aliasDuplicateObjects: false, lineWidth: 0 }));
  };
  put('server.yaml', {
    kind: 'server',
    name: 'bench',
    title: 'Bench',
    version: '1.0.0',
    uri_scheme: 'bench',
    description: 'Serves the catalogue that the benchmark measures.',
    instructions: 'Call `read_records` to read a collection.',
  });
  put('vocabulary/domains.yaml', {
    kind: 'domains',
    domains: [{ name: 'records', title: 'Records', description: 'Collections of records.', skill: 'bench' }],
  });
  put('vocabulary/scopes.yaml', {
    kind: 'scopes',
    scopes: [
      { name: 'bench:read', permission: 'read', title: 'Read', meaning: 'Read records.' },
      { name: 'bench:write', permission: 'write', title: 'Write', meaning: 'Change records.' },
    ],
  });
  const implied = (code: string, http: number, retryable = false) => ({
    code,
    class:
      http === 404
        ? 'not_found'
        : http === 403
          ? 'permission_denied'
          : http === 500
            ? 'internal_error'
            : 'invalid_input',
    implied: true,
    retryable,
    http,
    meaning: `The call ended with ${code.replaceAll('_', ' ')}.`,
    when: 'A caller breaks a rule of the benchmark.',
    recovery: 'Correct the call and send it again.',
  });
  put('vocabulary/errors.yaml', {
    kind: 'errors',
    errors: [
      implied('authentication_required', 403),
      implied('authentication_failed', 403),
      implied('internal_error', 500, true),
      implied('invalid_input', 400),
      implied('invalid_output', 500),
      implied('invalid_request', 400),
      implied('invalid_tool', 404),
      implied('permission_denied', 403),
      implied('project_required', 403),
      implied('rate_limited', 400, true),
      implied('request_conflict', 400),
      implied('resource_not_found', 404),
      implied('tool_retired', 400),
      implied('unavailable', 500, true),
    ],
  });
  for (const tool of catalogue(size))
    put(`tools/records/${tool.name}.yaml`, {
      kind: 'tool',
      name: tool.name,
      title: tool.title,
      description: tool.description,
      behaviour: {
        read_only: tool.readOnly,
        destructive: false,
        idempotent: tool.readOnly,
        open_world: false,
        scopes: [tool.readOnly ? 'bench:read' : 'bench:write'],
        cost_class: 'free',
        async_mode: 'sync',
        idempotency: tool.readOnly ? 'natural' : 'none',
        timeout_seconds: 20,
      },
      project: 'none',
      input: without(tool.input),
      output: without(tool.output),
      errors: [],
      examples: [
        {
          name: 'reads a collection',
          input:
            tool.name === 'read_records'
              ? { collection: 'spring', life: 'live', limit: 20, where: { keeper: 'mara@example.com' } }
              : { collection: 'spring' },
        },
      ],
    });
}
