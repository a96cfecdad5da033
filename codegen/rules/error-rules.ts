import { didYouMean, suggestion } from '../load/did-you-mean.ts';
import type { ContractModel, JsonPath, Source } from '../model/types.ts';
import { onTool } from './outputs.ts';
import { mending } from './rule.ts';
import type { Finding, Rule } from './rule.ts';
import { properties } from './walk.ts';

interface CodeUse {
  readonly source: Source;
  readonly entity: string;
  readonly path: JsonPath;
  readonly code: string;
}

/** Every place that names an error code as data. */
function codeUses(model: ContractModel): CodeUse[] {
  const owners = [...model.tools, ...model.resources, ...model.endpoints];
  return owners.flatMap((owner) => {
    const entity = `${owner.kind} ${owner.name}`;
    const declared = owner.kind === 'tool' ? owner.declaredErrors : owner.errors;
    const listed = declared.map((code) => ({ source: owner.source, entity, path: ['errors'], code }));
    const references = 'references' in owner ? owner.references : [];
    return [
      ...listed,
      ...references.map(({ error }, index) => ({
        source: owner.source,
        entity,
        path: ['references', index, 'error'],
        code: error,
      })),
    ];
  });
}

const MIN_RECOVERY_WORDS = 5;

const declared: Rule = {
  id: 'err-declared',
  level: 'error',
  sentence: 'Every code that is used is in the vocabulary, and every code says how to recover.',
  *check(model): Generator<Finding> {
    const codes = model.errors.map(({ code }) => code);
    for (const { source, entity, path, code } of codeUses(model)) {
      if (codes.includes(code)) continue;
      yield {
        source,
        entity,
        path,
        message: `There is no error code \`${code}\`.`,
        remedy: suggestion(code, codes, 'Add it to vocabulary/errors.yaml.'),
      };
    }
    for (const { code, recovery, source } of model.errors) {
      const words = recovery.split(/\s+/u).length;
      if (words >= MIN_RECOVERY_WORDS) continue;
      yield {
        source,
        entity: `error ${code}`,
        path: ['recovery'],
        message: `The recovery of \`${code}\` has ${words} words.`,
        remedy: 'Say what the caller does next.',
      };
    }
  },
};

/** HTTP statuses that fit each class of errors; other status codes mislead REST callers. */
const STATUSES: Readonly<Record<string, readonly number[]>> = {
  invalid_input: [400, 404, 405, 406, 413, 415, 421, 422],
  unauthenticated: [401],
  permission_denied: [403],
  not_found: [404],
  conflict: [409],
  failed_precondition: [409, 410, 412, 422],
  limit_exceeded: [402, 413, 422, 429],
  rate_limited: [429],
  unavailable: [502, 503, 504],
  handoff_required: [422],
  internal_error: [500],
};

const common: Rule = {
  id: 'err-common',
  level: 'error',
  fixes: 'some',
  sentence: 'Implied codes are attached by the compiler, and the HTTP status of a code fits its class.',
  *check(model): Generator<Finding> {
    const implied = new Set(model.errors.filter((one) => one.implied).map(({ code }) => code));
    for (const tool of model.tools) {
      for (const [index, code] of tool.declaredErrors.entries()) {
        if (implied.has(code))
          yield mending(
            onTool(
              tool,
              ['errors', index],
              `\`${code}\` is implied for every tool.`,
              'Remove it from the list.',
              'value',
            ),
            `Remove \`${code}\``,
            { do: 'drop', path: ['errors'], value: code },
          );
      }
    }
    for (const { code, class: group, http, source } of model.errors) {
      if (STATUSES[group]?.includes(http) !== false) continue;
      yield {
        source,
        entity: `error ${code}`,
        path: ['http'],
        message: `Status ${http} does not fit the class \`${group}\`.`,
        remedy: `Use ${STATUSES[group].join(' or ')}.`,
      };
    }
  },
};

const notFound: Rule = {
  id: 'references-have-not-found',
  level: 'error',
  fixes: 'some',
  sentence: 'A reference to an entity answers a declared code of the class not_found.',
  *check(model): Generator<Finding> {
    for (const owner of [...model.tools, ...model.resources]) {
      const entity = `${owner.kind} ${owner.name}`;
      const subject = owner.kind === 'tool' ? 'argument' : 'variable';
      const names =
        owner.kind === 'tool'
          ? Object.keys(properties(owner.input))
          : [...owner.variables, ...owner.query].map(({ name }) => name);
      for (const [index, { argument, error }] of owner.references.entries()) {
        const path = ['references', index];
        if (!names.includes(argument)) {
          const remedy = didYouMean(argument, names);
          yield {
            source: owner.source,
            entity,
            path: [...path, subject],
            message: `There is no ${subject} \`${argument}\`.`,
            ...(remedy === undefined ? {} : { remedy }),
          };
        }
        const spec = model.errors.find(({ code }) => code === error);
        if (spec === undefined) continue;
        if (spec.class !== 'not_found') {
          yield {
            source: owner.source,
            entity,
            path: [...path, 'error'],
            message: `\`${error}\` is of class \`${spec.class}\`, not not_found.`,
            remedy: 'Use the code that says the entity is absent.',
          };
        }
        if (!owner.errors.includes(error) && !spec.implied) {
          const missing = `\`${error}\` is missing from \`errors\`.`;
          yield mending(
            { source: owner.source, entity, path: [...path, 'error'], message: missing, remedy: 'Add it there.' },
            `Add \`${error}\` to \`errors\``,
            { do: 'add', path: ['errors', '-'], value: error },
          );
        }
      }
    }
  },
};

const retryableWrite: Rule = {
  id: 'err-retryable-write',
  level: 'error',
  sentence: 'A write whose failure invites a retry is safe to repeat.',
  *check(model) {
    const retryable = new Set(model.errors.filter((one) => one.retryable).map(({ code }) => code));
    for (const tool of model.tools) {
      if (tool.behaviour.readOnly || tool.behaviour.idempotency !== 'none') continue;
      // A conflict that asks to wait has done nothing yet, so its repeat is the first attempt.
      const code = tool.declaredErrors.find(
        (one) => retryable.has(one) && model.errors.find((spec) => spec.code === one)?.class !== 'conflict',
      );
      if (code !== undefined)
        yield onTool(
          tool,
          ['behaviour', 'idempotency'],
          `\`${code}\` invites a retry that would act twice.`,
          'Use `idempotency: key`.',
          'value',
        );
    }
  },
};

const INTERNALS =
  /\{[^}]*\}|\bstack ?trace\b|\bE(?:CONN|NOENT|PIPE)\w*|(?:^|\s)\/(?:home|usr|var|tmp|etc)\/|\bSQLSTATE\b|\bat [\w.]+\(/u;

const safeMessage: Rule = {
  id: 'err-safe-message',
  level: 'error',
  sentence: 'Texts of errors show no internals and have no placeholders.',
  *check(model): Generator<Finding> {
    for (const { code, meaning, when, recovery, source } of model.errors) {
      for (const [key, text] of Object.entries({ meaning, when, recovery })) {
        const match = INTERNALS.exec(text);
        if (match === null) continue;
        yield {
          source,
          entity: `error ${code}`,
          path: [key],
          message: `\`${match[0].trim()}\` shows how the server is built.`,
          remedy: 'Say it in the words of the caller.',
        };
      }
    }
  },
};

export const errorRules: readonly Rule[] = [declared, common, notFound, retryableWrite, safeMessage];
