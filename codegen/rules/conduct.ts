/** What a tool tells about failing, waiting and spending, and what its lifecycle leads to. */
import type { ContractModel, ErrorSpec } from '../model/types.ts';
import { isCostly } from './guidance.ts';
import { onTool } from './outputs.ts';
import type { Finding, Rule } from './rule.ts';
import { deref, properties, required } from './walk.ts';

function classes(model: ContractModel, codes: readonly string[]): Set<string> {
  return new Set(model.errors.filter(({ code }) => codes.includes(code)).map((one) => one.class));
}

const notFound: Rule = {
  id: 'err-not-found',
  level: 'warning',
  sentence: 'A tool that must be given an id can answer that nothing has it.',
  *check(model) {
    for (const tool of model.tools) {
      const declared = [...tool.declaredErrors, ...tool.references.map(({ error }) => error)];
      if (classes(model, declared).has('not_found')) continue;
      for (const name of required(tool.input)) {
        const kind = deref(model, properties(tool.input)[name])['id_kind'];
        if (kind === undefined || kind === 'opaque') continue;
        yield onTool(
          tool,
          ['input', 'properties', name],
          `Nothing says what happens when \`${name}\` finds nothing.`,
          'Add it to `references`, or declare a code of the class not_found.',
        );
      }
    }
  },
};

const conflict: Rule = {
  id: 'err-conflict',
  level: 'warning',
  sentence: 'A tool that changes what exists can answer that it is in the way of something.',
  *check(model) {
    for (const tool of model.tools) {
      const changes = tool.references.some(({ argument }) => required(tool.input).includes(argument));
      if (tool.behaviour.readOnly || !changes) continue;
      const found = classes(model, tool.declaredErrors);
      if (found.has('conflict') || found.has('failed_precondition') || found.has('limit_exceeded')) continue;
      yield onTool(
        tool,
        ['errors'],
        'The tool changes something that exists and never conflicts.',
        'Declare the code for a state that does not allow it.',
      );
    }
  },
};

function onError({ source, code }: ErrorSpec, key: string, message: string, remedy: string): Finding {
  return { source, path: [key], entity: `error ${code}`, message, remedy };
}

const WAITING = /\b(?:wait|later|again|once more|seconds?|minutes?|poll|retry)\b|`[a-z0-9]+_[a-z0-9_]+`/iu;

const busyRetry: Rule = {
  id: 'err-busy-retry',
  level: 'warning',
  sentence: 'A code that invites a retry says when, or what to poll.',
  *check({ errors }) {
    for (const error of errors) {
      if (!error.retryable || WAITING.test(error.recovery)) continue;
      const message = `\`${error.code}\` may be retried and does not say when.`;
      yield onError(error, 'recovery', message, 'Say how long to wait, or name the tool to poll.');
    }
  },
};

const unreachable: Rule = {
  id: 'err-unreachable',
  level: 'warning',
  sentence: 'Every code is implied or declared by something that can answer it.',
  *check(model) {
    const used = new Set(
      [...model.tools, ...model.resources, ...model.endpoints].flatMap((one) => [
        ...(one.kind === 'tool' ? one.declaredErrors : one.errors),
        ...('references' in one ? one.references.map(({ error }) => error) : []),
      ]),
    );
    for (const error of model.errors)
      if (!error.implied && !used.has(error.code))
        yield onError(
          error,
          'code',
          `Nothing can answer \`${error.code}\`.`,
          'Declare it where it happens, or remove it.',
        );
  },
};

const coherentCost: Rule = {
  id: 'cost-coherent',
  level: 'warning',
  sentence: 'A tool that spends money names the tool that shows readiness or the estimate.',
  *check({ tools }) {
    for (const tool of tools) {
      if (!isCostly(tool)) continue;
      const named = [...tool.description.matchAll(/`([a-z0-9_]+)`/gu)].map(([, name]) => name);
      if (tools.some((one) => one !== tool && one.behaviour.readOnly && named.includes(one.name))) continue;
      yield onTool(
        tool,
        ['description'],
        'Nothing says how to see what it will cost or whether all is ready.',
        'Name the tool that shows it.',
        'value',
      );
    }
  },
};

const dryRun: Rule = {
  id: 'dry-run',
  level: 'info',
  sentence: 'A write that spends money can be tried without effect, or shows first what it will do.',
  *check({ tools }) {
    for (const tool of tools) {
      if (!isCostly(tool) || tool.behaviour.readOnly) continue;
      const names = Object.keys(properties(tool.input));
      if (/\b(?:propos|preview|estimat|dry run)/iu.test(tool.description)) continue;
      if (names.some((name) => /^(?:dry_run|preview|propose|estimate|validate)(?:_only)?$/u.test(name))) continue;
      yield onTool(tool, ['input'], 'The tool cannot be tried without spending.', 'Offer `dry_run`.');
    }
  },
};

const poll: Rule = {
  id: 'async-poll',
  level: 'warning',
  sentence: 'A tool that starts background work says how to follow it.',
  *check(model) {
    for (const tool of model.tools) {
      if (tool.behaviour.asyncMode !== 'job') continue;
      if (/\bpoll|`(?:[a-z0-9]+_)+jobs?`/iu.test(tool.description)) continue;
      yield onTool(tool, ['description'], 'Nothing says how to follow the job.', 'Name the tool to poll.', 'value');
    }
  },
};

const tombstone: Rule = {
  id: 'life-tombstone',
  level: 'error',
  sentence: 'A withdrawn name does not come back, and what replaces it exists.',
  *check(model): Generator<Finding> {
    const living: Readonly<Record<string, readonly string[]>> = {
      tool: model.tools.flatMap(({ name, aliases }) => [name, ...aliases]),
      resource: model.resources.map(({ name }) => name),
      prompt: model.prompts.map(({ name }) => name),
      job: model.jobs.flatMap(({ name, aliases }) => [name, ...aliases]),
      error: model.errors.map(({ code }) => code),
      scope: model.scopes.map(({ name }) => name),
    };
    for (const { kind, name, replacement, source } of model.tombstones) {
      const names = living[kind];
      if (names === undefined) continue;
      const entity = `tombstone ${name}`;
      if (names.includes(name)) {
        const message = `The ${kind} \`${name}\` was withdrawn and is here again.`;
        yield { source, path: ['name'], entity, message, remedy: 'Give it another name.' };
      }
      if (replacement !== undefined && !names.includes(replacement)) {
        const message = `\`${replacement}\` replaces \`${name}\` and does not exist.`;
        yield { source, path: ['replacement'], entity, message, remedy: `Name a ${kind} of this contract.` };
      }
    }
  },
};

const alias: Rule = {
  id: 'life-alias',
  level: 'error',
  sentence: 'An alias leads to a tool that stays, in one step.',
  *check({ tools }) {
    for (const tool of tools) {
      const [first] = tool.aliases;
      if (first !== undefined && tool.deprecated?.replacement !== undefined)
        yield onTool(
          tool,
          ['aliases', 0],
          `\`${first}\` leads to a tool that is going away.`,
          `Move it to \`${tool.deprecated.replacement}\`.`,
          'value',
        );
    }
  },
};

/** Whether one version comes before another; what follows a hyphen counts as before the version itself. */
function isAfter(left: string, right: string): boolean {
  const [a = '', b = ''] = [left, right].map((one) => one.split('-')[0]);
  return a.localeCompare(b, 'en', { numeric: true }) > 0;
}

const version: Rule = {
  id: 'life-version',
  level: 'error',
  sentence: 'What happened in a version happened in this one or before it.',
  *check(model): Generator<Finding> {
    const { version: now } = model.server;
    for (const one of [...model.tools, ...model.resources, ...model.prompts, ...model.endpoints]) {
      const since = one.deprecated?.since;
      if (since === undefined) continue;
      const isVersion = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/u.test(since);
      if (isVersion && !isAfter(since, now)) continue;
      yield {
        source: one.source,
        path: ['deprecated', 'since'],
        entity: `${one.kind} ${one.name}`,
        message: isVersion ? `\`${since}\` comes after this version, ${now}.` : `\`${since}\` is no semantic version.`,
        remedy: 'Write the version that announces it, and raise that of the server.',
      };
    }
    for (const { name, removed, source } of model.tombstones) {
      if (!isAfter(removed, now)) continue;
      const message = `\`${removed}\` comes after this version, ${now}.`;
      yield {
        source,
        path: ['removed'],
        entity: `tombstone ${name}`,
        message,
        remedy: 'Raise the version of the server.',
      };
    }
  },
};

export const conductRules: readonly Rule[] = [
  notFound,
  conflict,
  busyRetry,
  unreachable,
  coherentCost,
  dryRun,
  poll,
  tombstone,
  alias,
  version,
];
