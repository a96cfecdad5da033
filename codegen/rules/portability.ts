import { isObject } from '../grammar/value-kinds.ts';
import { onTool } from './outputs.ts';
import { mending } from './rule.ts';
import type { Rule } from './rule.ts';
import { deref, finding, label, pathOf, properties, required, typesOf, visits } from './walk.ts';

const rootObject: Rule = {
  id: 'in-root-object',
  level: 'error',
  sentence: 'Arguments are an object written out at the root.',
  *check({ tools }) {
    for (const tool of tools) {
      const { input } = tool;
      if (isObject(input) && input['type'] === 'object' && input['$ref'] === undefined) continue;
      yield onTool(
        tool,
        ['input'],
        'The input is not an object with its members written out.',
        'Declare `properties` at its root.',
      );
    }
  },
};

const ROOT_COMBINATORS = ['oneOf', 'anyOf', 'not', 'if', 'enum', 'const'];

const unionRoot: Rule = {
  id: 'in-union-root',
  level: 'error',
  sentence: 'No combinator stands at the root of an input: several clients drop such a tool or the whole list.',
  *check({ tools }) {
    for (const tool of tools) {
      for (const keyword of ROOT_COMBINATORS) {
        if (!isObject(tool.input) || tool.input[keyword] === undefined) continue;
        yield onTool(
          tool,
          ['input', keyword],
          `\`${keyword}\` stands at the root of the input.`,
          'Use optional members, or split the tool.',
        );
      }
    }
  },
};

const MAX_NULLABLE_BRANCHES = 2;

/** `anyOf: [X, {type: null}]` is a nullable X and folds away on the wire. */
function isNullable(branches: unknown): boolean {
  if (!Array.isArray(branches) || branches.length !== MAX_NULLABLE_BRANCHES) return false;
  return branches.some(
    (one: unknown) => typeof one === 'object' && one !== null && 'type' in one && one.type === 'null',
  );
}

const unions: Rule = {
  id: 'no-unions-in-inputs',
  level: 'error',
  sentence: 'Arguments have one shape each.',
  *check(model) {
    for (const visit of visits(model)) {
      if (visit.root.role !== 'input' || visit.depth === 0) continue;
      for (const keyword of ['anyOf', 'oneOf']) {
        const branches = visit.schema[keyword];
        if (branches === undefined || isNullable(branches)) continue;
        yield finding(visit, `${label(visit)} may have several shapes.`, 'Split it into members of one shape each.', [
          keyword,
        ]);
      }
    }
  },
};

const UNPROJECTABLE = [
  'not',
  'if',
  'dependentSchemas',
  'patternProperties',
  'propertyNames',
  'contains',
  'prefixItems',
  'unevaluatedItems',
];

const portable: Rule = {
  id: 'portable-input',
  level: 'error',
  fixes: 'some',
  sentence: 'Arguments use only what every client can be shown without loss of meaning.',
  *check(model) {
    for (const visit of visits(model)) {
      if (visit.root.role !== 'input') continue;
      const types = typesOf(visit.schema).filter((type) => type !== 'null');
      if (types.length > 1)
        yield finding(
          visit,
          `${label(visit)} may be ${types.join(' or ')}; many clients know one type only.`,
          'Choose one type.',
          ['type'],
        );
      const branch = visit.keyword === 'anyOf' || visit.keyword === 'oneOf';
      if (types.length === 0 && visit.schema['type'] !== undefined && !branch) {
        yield finding(visit, `${label(visit)} can only be null.`, 'Leave the argument out.', ['type']);
      }
      for (const keyword of UNPROJECTABLE) {
        if (visit.schema[keyword] === undefined || (visit.depth === 0 && ROOT_COMBINATORS.includes(keyword))) continue;
        yield finding(
          visit,
          `${label(visit)} uses \`${keyword}\`, which cannot be shown to clients.`,
          'Say it with plain members and bounds.',
          [keyword],
        );
      }
      const { enum: listed, const: only } = visit.schema;
      if (Array.isArray(listed) && listed.some((one) => typeof one !== 'string' && one !== null)) {
        yield finding(
          visit,
          `${label(visit)} lists values that are not text; several clients take text only.`,
          'List text, or use bounds.',
          ['enum'],
        );
      }
      if (only !== undefined && visit.schema['type'] === undefined) {
        const one = finding(visit, `${label(visit)} has \`const\` without \`type\`.`, 'Add `type`.', ['const']);
        const type = Number.isInteger(only) ? 'integer' : typeof only;
        yield type === 'object'
          ? one
          : mending(one, `Add \`type: ${type}\``, { do: 'add', path: [...pathOf(visit), 'type'], value: type });
      }
    }
  },
};

/** Arrays that the authored output may have and the published one cannot show. */
const portableOutput: Rule = {
  id: 'portable-output',
  level: 'warning',
  sentence: 'Results use one type per value.',
  *check(model) {
    for (const visit of visits(model)) {
      if (visit.root.role !== 'output' && visit.root.role !== 'shared') continue;
      const types = typesOf(visit.schema).filter((type) => type !== 'null');
      if (types.length > 1)
        yield finding(visit, `${label(visit)} may be ${types.join(' or ')}.`, 'Choose one type.', ['type']);
    }
  },
};

const optionalNullable: Rule = {
  id: 'in-optional-nullable',
  level: 'warning',
  sentence: 'An argument is optional or nullable, not both.',
  *check(model) {
    for (const visit of visits(model)) {
      if (visit.root.role !== 'input' || visit.keyword !== 'properties' || visit.parent === undefined) continue;
      const nullable = typesOf(visit.schema).includes('null') || isNullable(visit.schema['anyOf']);
      if (!nullable || required(visit.parent.schema).includes(String(visit.member))) continue;
      yield finding(visit, `${label(visit)} may be left out and may be null.`, 'Drop null from its type.');
    }
  },
};

const taggedUnion: Rule = {
  id: 'in-union-tagged',
  level: 'warning',
  sentence: 'Alternatives of objects are told apart by one literal member.',
  *check(model) {
    for (const visit of visits(model)) {
      const branches = visit.schema['oneOf'] ?? visit.schema['anyOf'];
      if (!Array.isArray(branches)) continue;
      const shapes = branches
        .map((one) => deref(model, one))
        .filter((one) => typesOf(one).includes('object') || 'properties' in one);
      if (shapes.length < 2) continue;
      const [first] = shapes;
      const tag = Object.keys(properties(first)).find((name) =>
        shapes.every((shape) => {
          const member = properties(shape)[name];
          return isObject(member) && member['const'] !== undefined && required(shape).includes(name);
        }),
      );
      if (tag === undefined)
        yield finding(
          visit,
          `The alternatives of ${label(visit)} have no literal member in common.`,
          'Add a required member with a `const` to each.',
        );
    }
  },
};

const MAX_DEPTH = 5;
const MAX_PROPERTIES = 30;
const MAX_ARGUMENTS = 12;

const depth: Rule = {
  id: 'in-depth',
  level: 'warning',
  sentence: `Inputs nest at most ${MAX_DEPTH} levels and declare at most ${MAX_PROPERTIES} members, ${MAX_ARGUMENTS} of them arguments.`,
  *check(model) {
    const counts = new Map<string, number>();
    const tooDeep = new Set<string>();
    for (const visit of visits(model)) {
      if (visit.root.role !== 'input') continue;
      if (visit.keyword === 'properties') counts.set(visit.root.entity, (counts.get(visit.root.entity) ?? 0) + 1);
      if (visit.depth > MAX_DEPTH && !tooDeep.has(visit.root.entity)) {
        tooDeep.add(visit.root.entity);
        yield finding(visit, `The input nests more than ${MAX_DEPTH} levels.`, 'Flatten it.');
      }
    }
    for (const tool of model.tools) {
      const members = counts.get(`tool ${tool.name}`) ?? 0;
      const top = Object.keys(properties(tool.input)).length;
      if (members > MAX_PROPERTIES)
        yield onTool(tool, ['input'], `The input declares ${members} members.`, 'Split the tool.');
      if (top > MAX_ARGUMENTS) yield onTool(tool, ['input'], `The tool has ${top} arguments.`, 'Split the tool.');
    }
  },
};

export const portabilityRules: readonly Rule[] = [
  rootObject,
  unionRoot,
  unions,
  portable,
  portableOutput,
  optionalNullable,
  taggedUnion,
  depth,
];
