import { isObject } from '../grammar/value-kinds.ts';
import { onTool } from './outputs.ts';
import { mending } from './rule.ts';
import type { Finding, Rule } from './rule.ts';
import { deref, finding, label, pathOf, properties, propertyName, typesOf, visits } from './walk.ts';
import type { Keywords, Visit } from './walk.ts';
import { DIMENSION_WORDS, INJECTED_ARGUMENTS, isSecretName, TENANT_ARGUMENTS, UNIT_WORDS } from './words.ts';

function forArguments(model: Parameters<Rule['check']>[0]): Visit[] {
  return visits(model).filter(
    ({ root, keyword }) =>
      (root.role === 'input' && keyword === 'properties') || (root.role === 'variable' && keyword === undefined),
  );
}

const emptyInput: Rule = {
  id: 'in-empty-schema',
  level: 'error',
  fixes: 'some',
  sentence: 'A tool without arguments says so.',
  *check({ tools }) {
    for (const tool of tools) {
      const count = Object.keys(properties(tool.input)).length;
      if (!tool.noArguments && count === 0) {
        yield mending(
          onTool(tool, ['input'], 'The tool declares no arguments.', 'Add them, or write `no_arguments: true`.'),
          'Add `no_arguments: true`',
          { do: 'add', path: ['no_arguments'], value: true },
        );
      }
      if (tool.noArguments && count > 0)
        yield onTool(tool, ['no_arguments'], 'The tool has arguments and says it has none.', 'Drop one of the two.');
    }
  },
};

const scopeInjected: Rule = {
  id: 'in-scope-injected',
  level: 'error',
  sentence: 'The project comes from the credential or the injected argument, never from one of the tool.',
  *check({ tools }) {
    for (const tool of tools) {
      for (const name of Object.keys(properties(tool.input))) {
        const own =
          INJECTED_ARGUMENTS.includes(name) || (tool.context === 'project' && TENANT_ARGUMENTS.includes(name));
        if (own)
          yield onTool(tool, ['input', 'properties', name], `\`${name}\` is added by the compiler.`, 'Remove it.');
      }
    }
  },
};

const secretArgument: Rule = {
  id: 'in-secret-arg',
  level: 'error',
  sentence: 'No argument carries a credential.',
  *check(model) {
    for (const visit of visits(model)) {
      if (visit.root.role !== 'input' || visit.keyword !== 'properties' || !isSecretName(String(visit.member)))
        continue;
      yield finding(
        visit,
        `\`${visit.member ?? ''}\` would carry a credential through the model.`,
        'Keep credentials in the settings of the client or server.',
      );
    }
  },
};

const argumentName: Rule = {
  id: 'arg-name-format',
  level: 'error',
  sentence:
    'Names of arguments are lower snake case, other names letters, digits and underscores; at most 64 characters.',
  *check(model) {
    for (const visit of visits(model)) {
      if (visit.keyword !== 'properties') continue;
      const { role } = visit.root;
      const pattern = role === 'input' ? /^[a-z][a-z0-9_]{0,63}$/u : /^[A-Za-z_$][A-Za-z0-9_$]{0,63}$/u;
      if (!pattern.test(String(visit.member))) {
        yield finding(
          visit,
          `\`${visit.member ?? ''}\` is not a name that every client accepts.`,
          'Use lower snake case.',
        );
      }
    }
  },
};

function isIdName(name: string): boolean {
  return /(?:^|_)ids?$/u.test(name);
}

const idKind: Rule = {
  id: 'in-id-kind',
  level: 'error',
  sentence: 'An argument that identifies something says what kind of identifier it takes.',
  *check(model) {
    const referenced = new Set(
      model.tools.flatMap(({ name, references }) => references.map(({ argument }) => `tool ${name} ${argument}`)),
    );
    for (const one of model.resources)
      for (const { argument } of one.references) referenced.add(`resource ${one.name} ${argument}`);
    for (const visit of forArguments(model)) {
      const name = propertyName(visit) ?? '';
      if (!isIdName(name) && !referenced.has(`${visit.root.entity} ${name}`)) continue;
      const { items } = visit.schema;
      const subject = isObject(items) ? items : visit.schema;
      const target = deref(model, subject);
      if (!typesOf(target).includes('string')) continue;
      if (
        subject['id_kind'] === undefined &&
        target['id_kind'] === undefined &&
        target['format'] !== 'uuid' &&
        target['enum'] === undefined
      ) {
        yield finding(visit, `\`${name}\` identifies something and does not say how.`, 'Add `id_kind`.');
      }
    }
  },
};

const TIME_NAME = /(?:_at|_time|timestamp|^since|^until|_since|_until|^before|^after)$/u;

const dateTime: Rule = {
  id: 'in-datetime',
  level: 'error',
  sentence: 'A point in time is a date-time with an offset, or a number whose name has its unit.',
  *check(model) {
    for (const visit of forArguments(model)) {
      const name = propertyName(visit) ?? '';
      if (!TIME_NAME.test(name)) continue;
      const types = typesOf(visit.schema);
      const numeric = types.includes('integer') || types.includes('number');
      const dated =
        visit.schema['format'] === 'date-time' ||
        visit.schema['format'] === 'date' ||
        visit.schema['enum'] !== undefined;
      if (numeric)
        yield finding(
          visit,
          `\`${name}\` is a point in time given as a bare number.`,
          'Use `format: date-time`, or end the name in its unit.',
        );
      else if (types.includes('string') && !dated)
        yield finding(visit, `\`${name}\` is a point in time without a format.`, 'Add `format: date-time`.');
    }
  },
};

function namesUnit(name: string, schema: Keywords): boolean {
  const words = name.toLowerCase().split('_');
  const prose = typeof schema['description'] === 'string' ? schema['description'].toLowerCase().split(/[^a-z%]+/u) : [];
  return (
    schema['unit'] !== undefined ||
    words.some((word) => UNIT_WORDS.includes(word)) ||
    prose.some((word) => UNIT_WORDS.includes(word) || word === '%')
  );
}

const units: Rule = {
  id: 'desc-units',
  level: 'error',
  sentence: 'A number with a dimension names its unit.',
  *check(model) {
    for (const visit of visits(model)) {
      if (visit.keyword !== 'properties') continue;
      const name = String(visit.member);
      const types = typesOf(visit.schema);
      const number = types.includes('integer') || types.includes('number');
      if (!number || !name.split('_').some((word) => DIMENSION_WORDS.includes(word)) || namesUnit(name, visit.schema))
        continue;
      yield finding(visit, `\`${name}\` is a measure without a unit.`, 'Add `unit`, or end the name in it.');
    }
  },
};

const headers: Rule = {
  id: 'in-header-mirror',
  level: 'error',
  fixes: 'always',
  sentence:
    'A mirrored argument is a plain value reached through members only, never a secret, and its header is its own.',
  *check(model) {
    const seen = new Map<string, string>();
    for (const visit of visits(model)) {
      const header = visit.schema['x-mcp-header'];
      if (typeof header !== 'string') continue;
      const path = [...pathOf(visit), 'x-mcp-header'];
      const report = (message: string): Finding =>
        mending(finding(visit, message, 'Remove `x-mcp-header`.', ['x-mcp-header']), 'Remove `x-mcp-header`', {
          do: 'remove',
          path,
        });
      let reachable = visit.root.role === 'input' && visit.keyword === 'properties';
      for (let one: Visit | undefined = visit; one?.keyword !== undefined; one = one.parent)
        reachable &&= one.keyword === 'properties';
      if (!reachable) yield report(`${label(visit)} cannot be mirrored: only members of an input can.`);
      const [type, ...more] = typesOf(visit.schema);
      if (more.length > 0 || !['string', 'integer', 'boolean'].includes(type ?? ''))
        yield report(`${label(visit)} cannot be mirrored: it is not text, an integer or a boolean.`);
      if (visit.schema['sensitive'] === true || isSecretName(String(visit.member)))
        yield report(`${label(visit)} is secret and headers are logged.`);
      const key = `${visit.root.entity} ${header.toLowerCase()}`;
      if (seen.has(key)) yield report(`\`${header}\` mirrors two arguments.`);
      seen.set(key, pathOf(visit).join('/'));
    }
  },
};

export const inputRules: readonly Rule[] = [
  emptyInput,
  scopeInjected,
  secretArgument,
  argumentName,
  idKind,
  dateTime,
  units,
  headers,
];
