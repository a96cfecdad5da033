/** Rules on the values written into schemas: defaults and examples. */
import { checkValue } from '../grammar/check-value.ts';
import { isList } from '../grammar/value-kinds.ts';
import type { ValueFault } from '../grammar/check-value.ts';
import type { ContractModel, JsonSchema, JsonValue } from '../model/types.ts';
import { judgePattern } from './patterns/judge.ts';
import { mending } from './rule.ts';
import type { Finding, Rule } from './rule.ts';
import { finding, label, pathOf, required, resolveIn, visits } from './walk.ts';
import type { Visit } from './walk.ts';

export function faultsOf(model: ContractModel, schema: JsonSchema, value: JsonValue): readonly ValueFault[] {
  return checkValue(schema, value, {
    resolve: resolveIn(model),
    mayRun: (pattern) => judgePattern(pattern).kind === 'safe',
  });
}

export function describeFault({ path, message, remedy }: ValueFault): string {
  const place = path.length === 0 ? 'it' : `\`${path.join('.')}\``;
  return `${place} ${message}${remedy === undefined ? '' : ` (${remedy})`}`;
}

/** The default does nothing, so taking it away changes nothing. */
function withoutDefault(visit: Visit, message: string, remedy: string): Finding {
  const path = [...pathOf(visit), 'default'];
  return mending(finding(visit, message, remedy, ['default']), 'Remove `default`', { do: 'remove', path });
}

const defaultValid: Rule = {
  id: 'in-default-valid',
  level: 'error',
  fixes: 'some',
  sentence: 'A default satisfies its own schema and is not null.',
  *check(model) {
    for (const visit of visits(model)) {
      const value = visit.schema['default'];
      if (value === undefined) continue;
      if (value === null)
        yield withoutDefault(visit, `${label(visit)} has the default null.`, 'Leave the member optional instead.');
      const [fault] = faultsOf(model, visit.schema, value);
      if (fault !== undefined)
        yield finding(visit, `The default of ${label(visit)} is not valid: ${describeFault(fault)}.`, 'Correct it.', [
          'default',
        ]);
    }
  },
};

const requiredWithDefault: Rule = {
  id: 'in-required-with-default',
  level: 'error',
  fixes: 'always',
  sentence: 'A required member has no default.',
  *check(model) {
    for (const visit of visits(model)) {
      if (visit.keyword !== 'properties' || visit.schema['default'] === undefined || visit.parent === undefined)
        continue;
      if (!required(visit.parent.schema).includes(String(visit.member))) continue;
      yield withoutDefault(
        visit,
        `${label(visit)} is required and has a default that can never be used.`,
        'Drop one of the two.',
      );
    }
  },
};

/** Steps on which a validator that fills defaults still walks into the value it will hand on. */
const FILLED_THROUGH: ReadonlySet<string> = new Set([
  'properties',
  'items',
  'prefixItems',
  'additionalProperties',
  'allOf',
]);

function isFilled(visit: Visit): boolean {
  if (visit.keyword !== 'properties') return false;
  for (let one: Visit | undefined = visit; one?.keyword !== undefined; one = one.parent) {
    if (!FILLED_THROUGH.has(one.keyword)) return false;
  }
  return true;
}

const defaultApplies: Rule = {
  id: 'in-default-applies',
  level: 'error',
  fixes: 'always',
  sentence: 'A default stands only where it is filled in: on a member that no alternative or condition stands above.',
  *check(model) {
    for (const visit of visits(model)) {
      const { default: value } = visit.schema;
      if (value === undefined || isFilled(visit)) continue;
      if (visit.keyword === undefined && visit.root.role === 'variable') continue;
      yield withoutDefault(
        visit,
        `The default of ${label(visit)} can never be filled in here.`,
        'Move it to a plain member, or drop it.',
      );
    }
  },
};

const defaultPlain: Rule = {
  id: 'in-default-union',
  level: 'error',
  sentence: 'A member with a default is not a choice between schemas.',
  *check(model) {
    for (const visit of visits(model)) {
      if (
        visit.schema['default'] === undefined ||
        (visit.schema['anyOf'] === undefined && visit.schema['oneOf'] === undefined)
      )
        continue;
      yield finding(
        visit,
        `${label(visit)} has a default beside a choice of schemas.`,
        'Give it one schema, or drop the default.',
        ['default'],
      );
    }
  },
};

const schemaExamples: Rule = {
  id: 'schema-examples-validate',
  level: 'error',
  sentence: 'Values under `examples` satisfy their schema.',
  *check(model) {
    for (const visit of visits(model)) {
      const { examples } = visit.schema;
      if (!isList(examples)) continue;
      for (const [index, value] of examples.entries()) {
        const [fault] = faultsOf(model, visit.schema, value);
        if (fault === undefined) continue;
        yield finding(
          visit,
          `Example ${index + 1} of ${label(visit)} is not valid: ${describeFault(fault)}.`,
          'Correct it.',
          ['examples', index],
        );
      }
    }
  },
};

const examplesValidate: Rule = {
  id: 'examples-validate',
  level: 'error',
  sentence: 'Every example call and result satisfies its schema.',
  *check(model) {
    for (const { name, input, output, examples, source } of model.tools) {
      for (const [index, example] of examples.entries()) {
        for (const [side, schema, value] of [
          ['input', input, example.input],
          ['output', output, example.output],
        ] as const) {
          if (value === undefined) continue;
          for (const fault of faultsOf(model, schema, value)) {
            const path = ['examples', index, side, ...fault.path];
            const message = `The ${side} of the example \`${example.name}\` is not valid: ${describeFault(fault)}.`;
            yield { source, path, entity: `tool ${name}`, message, remedy: 'Correct the example or the schema.' };
          }
        }
      }
    }
  },
};

const resourceExamples: Rule = {
  id: 'tmpl-example',
  level: 'error',
  sentence: 'Every example of a template gives exactly its variables, each with a valid value.',
  *check(model): Generator<Finding> {
    for (const resource of model.resources) {
      const known = [...resource.variables, ...resource.query];
      for (const [index, { name, variables }] of resource.examples.entries()) {
        const report = (message: string, key: string): Finding => ({
          source: resource.source,
          path: ['examples', index, 'variables', key],
          entity: `resource ${resource.name}`,
          message: `The example \`${name}\` ${message}.`,
          remedy: 'Correct the example.',
        });
        for (const one of resource.variables)
          if (variables[one.name] === undefined) yield report(`gives no \`${one.name}\``, one.name);
        for (const [key, value] of Object.entries(variables)) {
          const variable = known.find((one) => one.name === key);
          if (variable === undefined) {
            yield report(`gives \`${key}\`, which the template does not have`, key);
            continue;
          }
          const [fault] = faultsOf(model, variable.schema, value);
          if (fault !== undefined) yield report(`gives a \`${key}\` that is not valid: ${describeFault(fault)}`, key);
        }
      }
    }
  },
};

export const valueRules: readonly Rule[] = [
  defaultValid,
  requiredWithDefault,
  defaultApplies,
  defaultPlain,
  schemaExamples,
  examplesValidate,
  resourceExamples,
];
