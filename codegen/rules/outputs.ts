import { isList, isObject } from '../grammar/value-kinds.ts';
import type { ContractModel, JsonPath, JsonValue, ToolSpec } from '../model/types.ts';
import { mending } from './rule.ts';
import type { Finding, Rule } from './rule.ts';
import { deref, finding, properties, required, resolveIn, typesOf, visits } from './walk.ts';
import type { Keywords } from './walk.ts';
import { isSecretName } from './words.ts';

export function onTool(
  tool: ToolSpec,
  path: JsonPath,
  message: string,
  remedy?: string,
  at: 'key' | 'value' = 'key',
): Finding {
  return {
    source: tool.source,
    path,
    at,
    entity: `tool ${tool.name}`,
    message,
    ...(remedy === undefined ? {} : { remedy }),
  };
}

const rootObject: Rule = {
  id: 'out-root-object',
  level: 'error',
  sentence: 'A result is an object: older clients refuse a whole listing otherwise.',
  *check(model) {
    for (const tool of model.tools) {
      const target = deref(model, tool.output);
      const composed = ['oneOf', 'anyOf', 'if', 'not'].some((keyword) => target[keyword] !== undefined);
      if (target['type'] === 'object' && !composed) continue;
      yield onTool(tool, ['output'], 'The result is not one plain object.', 'Declare `properties` at its root.');
    }
  },
};

const MAX_SUMMARY = 500;

const summary: Rule = {
  id: 'out-summary',
  level: 'warning',
  sentence: 'A result has a short summary sentence.',
  *check(model) {
    for (const tool of model.tools) {
      const member = deref(model, properties(deref(model, tool.output))['summary']);
      const length = member['maxLength'];
      if (member['type'] === 'string' && typeof length === 'number' && length <= MAX_SUMMARY) continue;
      yield onTool(
        tool,
        ['output', 'properties', 'summary'],
        'The result has no short `summary`.',
        `Add a \`summary\` of at most ${MAX_SUMMARY} characters.`,
      );
    }
  },
};

export const MAX_CHARACTERS = 64_000_000;

function lengthOf(schema: Keywords, fallback: number): number {
  const { enum: listed, const: only, maxLength, maxItems, maxProperties } = schema;
  if (isList(listed)) return Math.max(...listed.map((one) => JSON.stringify(one).length));
  if (only !== undefined) return JSON.stringify(only).length;
  const size = maxLength ?? maxItems ?? maxProperties;
  return typeof size === 'number' ? size : fallback;
}

/** Most characters a value of the schema takes as JSON; Infinity when a shape holds itself. */
export class WorstCase {
  readonly #known = new Map<string, number>();
  readonly #model: ContractModel;

  constructor(model: ContractModel) {
    this.#model = model;
  }

  of(schema: JsonValue | undefined): number {
    if (schema === false) return 0;
    if (!isObject(schema)) return Infinity;
    const { $ref: ref } = schema;
    if (typeof ref === 'string') {
      const known = this.#known.get(ref);
      if (known !== undefined) return known;
      this.#known.set(ref, Infinity);
      const size = this.of(resolveIn(this.#model)(ref));
      this.#known.set(ref, size);
      return size;
    }
    const branches = ['anyOf', 'oneOf', 'allOf'].flatMap((keyword) => (isList(schema[keyword]) ? schema[keyword] : []));
    const composed = branches.reduce<number>((most, one) => Math.max(most, this.of(one)), 0);
    const types = typesOf(schema);
    const own = types.map((type) => this.#typed(schema, type));
    return Math.max(
      composed,
      ...(own.length > 0 ? own : ['enum' in schema || 'const' in schema ? lengthOf(schema, 0) : 0]),
    );
  }

  #typed(schema: Keywords, type: string): number {
    switch (type) {
      case 'string':
        return 2 + lengthOf(schema, schema['format'] === undefined ? Infinity : 40);
      case 'array': {
        const items = schema['items'] === false ? 0 : this.of(schema['items'] ?? true);
        const prefix = isList(schema['prefixItems'])
          ? schema['prefixItems'].reduce<number>((sum, one) => sum + this.of(one) + 1, 0)
          : 0;
        const count = lengthOf(schema, items === 0 ? 0 : Infinity);
        return 2 + prefix + (count === 0 ? 0 : count * (items + 1));
      }
      case 'object':
        return this.#object(schema);
      default:
        return 24;
    }
  }

  #object(schema: Keywords): number {
    let size = 2;
    for (const [name, member] of Object.entries(properties(schema))) size += name.length + 4 + this.of(member);
    if (isObject(schema['additionalProperties'])) {
      size += lengthOf(schema, Infinity) * (64 + this.of(schema['additionalProperties']));
    }
    return size;
  }
}

const bounded: Rule = {
  id: 'out-bounded',
  level: 'error',
  sentence: 'The largest possible result can be told from the bounds and stays below the cap.',
  *check(model) {
    const worst = new WorstCase(model);
    for (const tool of model.tools) {
      const size = worst.of(tool.output);
      if (size <= MAX_CHARACTERS) continue;
      const amount = size === Infinity ? 'without end' : `up to ${Math.ceil(size / 1_000_000)} million characters`;
      yield onTool(
        tool,
        ['output'],
        `The result may grow ${amount}.`,
        'Lower the bounds of its lists and texts, or break the shape that holds itself.',
      );
    }
  },
};

export const COUNTED = /(?:^|_)(?:truncated|omitted|total|count|has_more|more|page|matched)(?:_|$)/u;
const SMALL_LIST = 25;

const truncation: Rule = {
  id: 'out-truncation-mark',
  level: 'error',
  sentence: 'A capped list says whether something was left out.',
  *check(model) {
    for (const tool of model.tools) {
      const members = properties(deref(model, tool.output));
      const marked = Object.keys(members).some((name) => COUNTED.test(name));
      for (const [name, member] of Object.entries(members)) {
        const { type, maxItems } = deref(model, member);
        if (marked || type !== 'array' || typeof maxItems !== 'number' || maxItems <= SMALL_LIST) continue;
        yield onTool(
          tool,
          ['output', 'properties', name],
          `\`${name}\` is cut at ${maxItems} items without a mark.`,
          'Add `page`, `truncated` or a count beside it.',
        );
      }
    }
  },
};

function isPagedVerb(name: string): boolean {
  return /^(?:list|search)_/u.test(name);
}

const pageOut: Rule = {
  id: 'out-pagination',
  level: 'error',
  sentence: 'A listing answers its page by the shared model.',
  *check(model) {
    const page = model.models.find(({ name }) => name === 'page');
    if (page === undefined) return;
    for (const tool of model.tools) {
      if (!isPagedVerb(tool.name)) continue;
      const output = deref(model, tool.output);
      const member = properties(output)['page'];
      const shared =
        isObject(member) && member['$ref'] === `#/$defs/${page.typeName}` && required(output).includes('page');
      if (!shared)
        yield onTool(
          tool,
          ['output', 'properties', 'page'],
          'The listing answers no `page`.',
          'Require `page: { $ref: model:page }`.',
        );
    }
  },
};

const pageIn: Rule = {
  id: 'in-pagination',
  level: 'error',
  sentence: 'A listing takes `limit` and `cursor`.',
  *check(model) {
    if (!model.models.some(({ name }) => name === 'page')) return;
    for (const tool of model.tools) {
      if (!isPagedVerb(tool.name)) continue;
      const members = properties(tool.input);
      const limit = deref(model, members['limit']);
      const cursor = deref(model, members['cursor']);
      if (!typesOf(limit).includes('integer'))
        yield onTool(
          tool,
          ['input', 'properties', 'limit'],
          'The listing takes no `limit`.',
          'Add an integer `limit` from 1 to 100.',
        );
      else if (typeof limit['maximum'] === 'number' && limit['maximum'] > 100) {
        yield onTool(
          tool,
          ['input', 'properties', 'limit', 'maximum'],
          'A page holds at most 100 rows.',
          'Lower `maximum` to 100.',
          'value',
        );
      }
      if (!typesOf(cursor).includes('string'))
        yield onTool(tool, ['input', 'properties', 'cursor'], 'The listing takes no `cursor`.', 'Add a text `cursor`.');
    }
  },
};

const sensitive: Rule = {
  id: 'out-sensitive',
  level: 'error',
  sentence: 'No result carries a credential or a signed address.',
  *check(model) {
    for (const visit of visits(model)) {
      if (
        visit.keyword !== 'properties' ||
        visit.root.role === 'input' ||
        visit.root.role === 'request' ||
        visit.root.role === 'internal'
      )
        continue;
      if (visit.root.role === 'response' || !isSecretName(String(visit.member))) continue;
      yield finding(
        visit,
        `\`${visit.member ?? ''}\` would hand a credential to a model.`,
        'Leave it out and link to where a person finds it.',
      );
    }
  },
};

const errorShape: Rule = {
  id: 'out-error-shape',
  level: 'error',
  sentence: 'A success never carries what callers take for the error envelope.',
  *check(model) {
    for (const tool of model.tools) {
      const output = deref(model, tool.output);
      const member = properties(output)['error'];
      if (member === undefined) continue;
      // An optional sentence about a failed entity is data; an object, or one that is always there, reads as a failure.
      const envelope = typesOf(deref(model, member)).includes('object') || required(output).includes('error');
      if (!envelope) continue;
      yield onTool(
        tool,
        ['output', 'properties', 'error'],
        'The result carries `error`, by which callers tell failures.',
        'Name it for what it is about, such as `job_error`.',
      );
    }
  },
};

const linkBack: Rule = {
  id: 'created-entities-link-back',
  level: 'error',
  sentence: 'A tool that changes something links what it changed.',
  *check(model) {
    for (const tool of model.tools) {
      const members = properties(deref(model, tool.output));
      if (tool.behaviour.readOnly || Object.hasOwn(members, 'resource') || Object.hasOwn(members, 'resource_links'))
        continue;
      yield onTool(
        tool,
        ['output'],
        'The tool changes something and links nothing.',
        'Add `resource` or `resource_links`.',
      );
    }
  },
};

const unused: Rule = {
  id: 'in-unused-component',
  level: 'warning',
  fixes: 'some',
  sentence: 'Every shared model and definition is used.',
  *check(model) {
    const used = new Set<unknown>();
    for (const { schema } of visits(model)) used.add(schema['$ref']);
    for (const { typeName, name, source } of model.models) {
      if (used.has(`#/$defs/${typeName}`)) continue;
      yield {
        source,
        path: ['name'],
        entity: `model ${name}`,
        message: `Nothing refers to the model \`${name}\`.`,
        remedy: 'Remove it.',
      };
    }
    for (const { typeName, name, source, path } of model.definitions) {
      if (used.has(`#/$defs/${typeName}`)) continue;
      const message = `Nothing refers to \`#/$defs/${name}\`.`;
      yield mending(
        { source, path, at: 'key', entity: `definition ${typeName}`, message, remedy: 'Remove it.' },
        `Remove \`${name}\``,
        { do: 'remove', path },
      );
    }
  },
};

export const outputRules: readonly Rule[] = [
  rootObject,
  summary,
  bounded,
  truncation,
  pageOut,
  pageIn,
  sensitive,
  errorShape,
  linkBack,
  unused,
];
