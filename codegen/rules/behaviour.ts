import { isObject } from '../grammar/value-kinds.ts';
import { suggestion } from '../load/did-you-mean.ts';
import type { ContractModel } from '../model/types.ts';
import { onTool } from './outputs.ts';
import { mending } from './rule.ts';
import type { Finding, Rule } from './rule.ts';
import { deref, properties, required } from './walk.ts';
import { READ_VERBS } from './words.ts';

const coherent: Rule = {
  id: 'hint-coherent',
  level: 'error',
  fixes: 'some',
  sentence: 'The hints of a tool agree with each other and with its verb.',
  *check({ tools }) {
    for (const tool of tools) {
      const { readOnly, idempotent, idempotency } = tool.behaviour;
      const [verb = ''] = tool.name.split('_');
      if (readOnly && !idempotent)
        yield mending(
          onTool(
            tool,
            ['behaviour', 'idempotent'],
            'A tool that changes nothing is idempotent.',
            'Write true.',
            'value',
          ),
          'Write `idempotent: true`',
          { do: 'set', path: ['behaviour', 'idempotent'], value: true },
        );
      if (readOnly && idempotency !== 'natural')
        yield mending(
          onTool(
            tool,
            ['behaviour', 'idempotency'],
            'A tool that changes nothing repeats naturally.',
            'Write natural.',
            'value',
          ),
          'Write `idempotency: natural`',
          { do: 'set', path: ['behaviour', 'idempotency'], value: 'natural' },
        );
      if (!readOnly && READ_VERBS.includes(verb))
        yield onTool(
          tool,
          ['behaviour', 'read_only'],
          `\`${verb}\` promises that nothing changes.`,
          'Choose another verb, or write true.',
          'value',
        );
    }
  },
};

const idempotency: Rule = {
  id: 'in-idempotency',
  level: 'error',
  sentence: 'A write says how its repeats behave, and its hint agrees.',
  *check({ tools }) {
    for (const tool of tools) {
      const { readOnly, idempotent, idempotency: mode } = tool.behaviour;
      if (readOnly) continue;
      if (mode === 'natural' && !idempotent)
        yield onTool(
          tool,
          ['behaviour', 'idempotent'],
          'A write that repeats naturally is idempotent.',
          'Write true, or another mode.',
          'value',
        );
      if (mode === 'none' && idempotent)
        yield onTool(
          tool,
          ['behaviour', 'idempotency'],
          'An idempotent write is natural or has a key.',
          'Write natural or key.',
          'value',
        );
    }
  },
};

const scopeKnown: Rule = {
  id: 'scope-known',
  level: 'error',
  sentence: 'Every scope is in the vocabulary.',
  *check(model): Generator<Finding> {
    const known = model.scopes.map(({ name }) => name);
    const owners = [
      ...model.tools.map((one) => ({ ...one, scopes: one.behaviour.scopes, path: ['behaviour', 'scopes'] })),
      ...model.resources.map((one) => ({ ...one, path: ['scopes'] })),
      ...model.prompts.map((one) => ({ ...one, path: ['scopes'] })),
    ];
    for (const { kind, name, scopes, path, source } of owners) {
      for (const scope of scopes) {
        if (known.includes(scope)) continue;
        yield {
          source,
          entity: `${kind} ${name}`,
          path,
          message: `There is no scope \`${scope}\`.`,
          remedy: suggestion(scope, known, 'Add it to vocabulary/scopes.yaml.'),
        };
      }
    }
  },
};

function writeScopes(model: ContractModel): ReadonlySet<string> {
  return new Set(model.scopes.filter(({ permission }) => permission === 'write').map(({ name }) => name));
}

const readScopes: Rule = {
  id: 'read-only-tools-need-only-read-scopes',
  level: 'error',
  sentence: 'Reading asks for read scopes only; writing asks for a write scope.',
  *check(model): Generator<Finding> {
    const writes = writeScopes(model);
    for (const tool of model.tools) {
      const { readOnly, scopes } = tool.behaviour;
      const write = scopes.find((scope) => writes.has(scope));
      if (readOnly && write !== undefined)
        yield onTool(
          tool,
          ['behaviour', 'scopes'],
          `A read-only tool asks for \`${write}\`.`,
          'Ask for read scopes only.',
          'value',
        );
      const known = scopes.every((scope) => model.scopes.some(({ name }) => name === scope));
      if (!readOnly && write === undefined && known)
        yield onTool(
          tool,
          ['behaviour', 'scopes'],
          'A tool that writes asks for no write scope.',
          'Add the write scope of its domain.',
          'value',
        );
    }
    for (const { name, scopes, source } of model.resources) {
      const write = scopes.find((scope) => writes.has(scope));
      if (write === undefined) continue;
      yield {
        source,
        entity: `resource ${name}`,
        path: ['scopes'],
        message: `A resource asks for \`${write}\`.`,
        remedy: 'Ask for read scopes only.',
      };
    }
  },
};

const minimal: Rule = {
  id: 'scope-minimal',
  level: 'warning',
  sentence: 'A tool asks for one write scope at most.',
  *check(model) {
    const writes = writeScopes(model);
    for (const tool of model.tools) {
      const asked = tool.behaviour.scopes.filter((scope) => writes.has(scope));
      if (asked.length > 1)
        yield onTool(
          tool,
          ['behaviour', 'scopes'],
          `The tool asks for ${asked.length} write scopes.`,
          'Split the tool, or keep the one it needs.',
          'value',
        );
    }
  },
};

const receipts: Rule = {
  id: 'async-job',
  level: 'error',
  sentence: 'A tool that starts background work answers a receipt of a declared kind, and no other tool does.',
  *check(model): Generator<Finding> {
    const receipt = model.models.find(({ name }) => name === 'job_receipt');
    const kinds = model.jobs.map(({ name }) => name);
    for (const tool of model.tools) {
      if (tool.behaviour.asyncMode !== 'job') {
        if (tool.job !== undefined)
          yield onTool(
            tool,
            ['job'],
            'A tool that answers at once has no job.',
            'Remove it, or write `async_mode: job`.',
          );
        continue;
      }
      const output = deref(model, tool.output);
      const member = properties(output)['job'];
      const isReceipt =
        isObject(member) &&
        receipt !== undefined &&
        member['$ref'] === `#/$defs/${receipt.typeName}` &&
        required(output).includes('job');
      if (!isReceipt)
        yield onTool(
          tool,
          ['output', 'properties', 'job'],
          'The result has no receipt.',
          'Require `job: { $ref: model:job_receipt }`.',
        );
      if (tool.job === undefined)
        yield onTool(
          tool,
          ['behaviour', 'async_mode'],
          'The tool names no kind of job.',
          'Add `job: <kind>`.',
          'value',
        );
      else if (!kinds.includes(tool.job))
        yield onTool(
          tool,
          ['job'],
          `There is no job \`${tool.job}\`.`,
          suggestion(tool.job, kinds, 'Add it under jobs/.'),
          'value',
        );
    }
  },
};

const MAX_SYNC_SECONDS = 30;

const timeout: Rule = {
  id: 'async-timeout',
  level: 'error',
  sentence: `A tool that answers at once does so within ${MAX_SYNC_SECONDS} seconds.`,
  *check({ tools }) {
    for (const tool of tools) {
      if (tool.behaviour.timeoutSeconds <= MAX_SYNC_SECONDS) continue;
      yield onTool(
        tool,
        ['behaviour', 'timeout_seconds'],
        `Hosts give up before ${tool.behaviour.timeoutSeconds} seconds have passed.`,
        'Lower it, or make the work a job.',
        'value',
      );
    }
  },
};

export const behaviourRules: readonly Rule[] = [
  coherent,
  idempotency,
  scopeKnown,
  readScopes,
  minimal,
  receipts,
  timeout,
];
