import type { ContractDocument } from '../load/document.ts';
import { fields, listOf, maybe, maybeText, numberOf, textOf, textsOf, wordOf } from './fields.ts';
import type { Fields } from './fields.ts';
import { pascalCase } from './names.ts';
import type { NameTable } from './names.ts';
import type { References } from './references.ts';
import type { Behaviour, Deprecation, Lifecycle, Reference, ToolSpec } from './types.ts';

/** The error that a repeated key with other arguments answers; implied by key mode only. */
const KEY_CONFLICT = 'request_conflict';

export function lifecycleOf(from: Fields): Lifecycle {
  const stability = wordOf(from, 'stability', ['draft', 'alpha', 'beta', 'stable'], 'stable');
  if (from['deprecated'] === undefined) return { stability };
  const announced = fields(from['deprecated']);
  const deprecated: Deprecation = {
    since: textOf(announced, 'since'),
    sunset: textOf(announced, 'sunset'),
    ...maybe('replacement', maybeText(announced, 'replacement')),
    reason: textOf(announced, 'reason'),
  };
  return { stability, deprecated };
}

export function referencesOf(from: Fields, subject: 'argument' | 'variable'): Reference[] {
  return listOf(from, 'references').map((one) => {
    const reference = fields(one);
    return {
      argument: textOf(reference, subject),
      entity: textOf(reference, 'entity'),
      error: textOf(reference, 'error'),
    };
  });
}

function behaviourOf(from: Fields): Behaviour {
  return {
    readOnly: from['read_only'] === true,
    destructive: from['destructive'] === true,
    idempotent: from['idempotent'] === true,
    openWorld: from['open_world'] === true,
    scopes: textsOf(from, 'scopes').sort(),
    costClass: wordOf(from, 'cost_class', ['free', 'compute', 'llm', 'gpu'], 'free'),
    asyncMode: wordOf(from, 'async_mode', ['sync', 'job'], 'sync'),
    idempotency: wordOf(from, 'idempotency', ['none', 'natural', 'key'], 'none'),
    timeoutSeconds: numberOf(from, 'timeout_seconds'),
  };
}

export function buildTool(
  document: ContractDocument,
  implied: readonly string[],
  references: References,
  names: NameTable,
): ToolSpec {
  const from = document.value;
  const name = textOf(from, 'name');
  const typeName = pascalCase(name);
  for (const suffix of ['Input', 'Call', 'Output'])
    names.claim(typeName + suffix, `tool ${name}`, document.source.locate(['name']));
  const behaviour = behaviourOf(fields(from['behaviour']));
  const noArguments = from['no_arguments'] === true;
  const declaredErrors = textsOf(from, 'errors').sort();
  const common = implied.filter((code) => code !== KEY_CONFLICT || behaviour.idempotency === 'key');
  const input = from['input'] ?? { type: 'object', properties: {} };
  return {
    kind: 'tool',
    name,
    typeName,
    aliases: textsOf(from, 'aliases').sort(),
    domain: document.domain ?? '',
    title: textOf(from, 'title'),
    description: textOf(from, 'description'),
    ...lifecycleOf(from),
    behaviour,
    permission: behaviour.readOnly ? 'read' : 'write',
    context: from['project'] === 'required' ? 'project' : 'account',
    references: referencesOf(from, 'argument'),
    input: references.body(document, ['input'], input, `${typeName}Input`, 'object'),
    noArguments,
    output: references.body(document, ['output'], from['output'] ?? {}, `${typeName}Output`, 'object'),
    ...maybe('job', maybeText(from, 'job')),
    errors: [...new Set([...declaredErrors, ...common])].sort(),
    declaredErrors,
    examples: listOf(from, 'examples').map((one) => {
      const example = fields(one);
      return { name: textOf(example, 'name'), input: example['input'] ?? {}, ...maybe('output', example['output']) };
    }),
    source: document.source,
  };
}
