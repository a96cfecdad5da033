/** Whether a caller can go on from a result: order, ids, links, marks of what is missing. */
import { isList, isObject } from '../grammar/value-kinds.ts';
import type { ContractModel, JsonPath, JsonValue, ToolSpec } from '../model/types.ts';
import { COUNTED, MAX_CHARACTERS, onTool, WorstCase } from './outputs.ts';
import type { Finding, Rule } from './rule.ts';
import { resourceMatcher } from './uris.ts';
import { describeFault, faultsOf } from './values.ts';
import { deref, finding, label, properties, required, typesOf, visits } from './walk.ts';
import type { Keywords } from './walk.ts';

/** What hosts take of one result when no profile says less. */
const RESULT_TOKENS = 25_000;
const CHARACTERS_PER_TOKEN = 4;

const worstCase: Rule = {
  id: 'out-worst-case',
  level: 'warning',
  sentence: 'A result that may pass what clients take says that it was cut, or comes in pages.',
  *check(model) {
    const worst = new WorstCase(model);
    const most = Math.min(RESULT_TOKENS, ...model.profiles.map(({ limits }) => limits['result_tokens'] ?? Infinity));
    for (const tool of model.tools) {
      const names = Object.keys(properties(deref(model, tool.output)));
      const size = worst.of(tool.output);
      // Beyond all bounds is an error of its own.
      if (size <= most * CHARACTERS_PER_TOKEN || size > MAX_CHARACTERS || names.some((name) => COUNTED.test(name)))
        continue;
      const tokens = `up to ${Math.ceil(size / CHARACTERS_PER_TOKEN / 1000)} thousand`;
      yield onTool(
        tool,
        ['output'],
        `The result may have ${tokens} tokens; clients take ${most}.`,
        'Add `page` or `truncated`, or lower its bounds.',
      );
    }
  },
};

function isListing({ name }: ToolSpec): boolean {
  return /^(?:list|search|query|find)_/u.test(name);
}

/** The lists at the root of a result, links aside. */
function listsOf(model: ContractModel, tool: ToolSpec): { readonly name: string; readonly member: Keywords }[] {
  return Object.entries(properties(deref(model, tool.output))).flatMap(([name, value]) => {
    const member = isObject(value) ? value : {};
    return member['type'] === 'array' && !/^(?:resource_)?links$|^columns$|^next_/u.test(name)
      ? [{ name, member }]
      : [];
  });
}

const ORDER =
  /\b(?:newest|oldest|latest|earliest|recent|first|last|order(?:ed|ing|s)?|sort(?:ed|s)?|by (?:name|id|time|date|score|relevance)|alphabetical\w{0,2}|rank(?:ed|ing)?|ascending|descending)\b/iu;

const stableOrder: Rule = {
  id: 'out-stable-order',
  level: 'warning',
  sentence: 'A listing says in which order it answers.',
  *check(model) {
    for (const tool of model.tools) {
      const paged = Object.hasOwn(properties(deref(model, tool.output)), 'page');
      if (!isListing(tool) && !paged) continue;
      for (const { name, member } of listsOf(model, tool)) {
        const told = [tool.description, member['description']].some(
          (one) => typeof one === 'string' && ORDER.test(one),
        );
        const asked = Object.keys(properties(tool.input)).some((one) =>
          /^(?:order|ordering|order_by|sort|sort_by)$/u.test(one),
        );
        if (told || asked) continue;
        yield onTool(
          tool,
          ['output', 'properties', name],
          `Nothing says in which order \`${name}\` comes.`,
          'Say it in a description.',
        );
      }
    }
  },
};

const identifiers: Rule = {
  id: 'out-identifiers',
  level: 'warning',
  sentence: 'Each row of a listing can be named to another tool and read as a resource.',
  *check(model) {
    const hasTemplates = model.resources.some(({ uriTemplate }) => uriTemplate !== undefined);
    for (const tool of model.tools) {
      if (!tool.name.startsWith('list_') && !tool.name.startsWith('search_')) continue;
      const root = Object.keys(properties(deref(model, tool.output)));
      for (const { name, member } of listsOf(model, tool)) {
        const row = deref(model, member['items']);
        const names = Object.keys(properties(row));
        if (row['type'] !== 'object' || names.length === 0) continue;
        const identified = names.some((one) => /^(?:id|uri|name|slug|key|code)$|_(?:id|uri)$/u.test(one));
        const linked = [...root, ...names].some((one) =>
          /^(?:resource|resource_links?|resource_uri|uri|links?)$/u.test(one),
        );
        if (identified && (linked || !hasTemplates)) continue;
        yield onTool(
          tool,
          ['output', 'properties', name],
          identified ? `Rows of \`${name}\` have no link.` : `Rows of \`${name}\` have nothing to name them by.`,
          identified ? 'Add `resource` to the row, or `resource_links` beside the list.' : 'Add `id`.',
        );
      }
    }
  },
};

/** Every text of a value that is an address of this server. */
function* addressesIn(value: JsonValue, scheme: string, path: JsonPath): Generator<readonly [JsonPath, string]> {
  if (typeof value === 'string') {
    if (value.startsWith(scheme)) yield [path, value];
  } else if (isList(value)) {
    for (const [index, one] of value.entries()) yield* addressesIn(one, scheme, [...path, index]);
  } else if (isObject(value)) {
    for (const [name, one] of Object.entries(value)) yield* addressesIn(one, scheme, [...path, name]);
  }
}

const links: Rule = {
  id: 'out-links',
  level: 'warning',
  sentence: 'Addresses that examples show are those of resources.',
  *check(model): Generator<Finding> {
    const scheme = `${model.server.uriScheme}://`;
    const isKnown = resourceMatcher(model);
    for (const tool of model.tools) {
      for (const [index, { output }] of tool.examples.entries()) {
        for (const [path, uri] of addressesIn(output ?? null, scheme, ['examples', index, 'output']))
          if (!isKnown(uri))
            yield onTool(tool, path, `\`${uri}\` is no resource of this contract.`, 'Correct the address.', 'value');
      }
    }
    for (const visit of visits(model)) {
      const { examples } = visit.schema;
      if (!isList(examples)) continue;
      for (const [path, uri] of addressesIn(examples, scheme, ['examples']))
        if (!isKnown(uri)) yield finding(visit, `\`${uri}\` is no resource of this contract.`, 'Correct it.', path);
    }
  },
};

const MAX_NULLABLE = 8;

const nullSoup: Rule = {
  id: 'out-no-null-soup',
  level: 'warning',
  sentence: `An object of a result has at most ${MAX_NULLABLE} members that may be null.`,
  *check(model) {
    for (const visit of visits(model)) {
      if (!['output', 'shared', 'payload'].includes(visit.root.role)) continue;
      const members = Object.values(properties(visit.schema));
      const count = members.filter((one) => isObject(one) && typesOf(one).includes('null')).length;
      if (count > MAX_NULLABLE)
        yield finding(visit, `${label(visit)} has ${count} members that may be null.`, 'Split it, or leave them out.');
    }
  },
};

const extensible: Rule = {
  id: 'out-enum-extensible',
  level: 'warning',
  fixes: 'guess',
  sentence: 'An enum of names that this contract will add to is marked `extensible`.',
  *check(model): Generator<Finding> {
    const growing = new Map<string, string>();
    for (const { name, aliases } of model.jobs) for (const one of [name, ...aliases]) growing.set(one, 'kinds of job');
    for (const { code } of model.errors) growing.set(code, 'error codes');
    for (const { name } of model.tools) growing.set(name, 'tools');
    for (const visit of visits(model)) {
      const { enum: listed } = visit.schema;
      if (!['output', 'shared', 'payload'].includes(visit.root.role) || !isList(listed) || listed.length < 2) continue;
      const sorts = listed.map((one) => (typeof one === 'string' ? growing.get(one) : undefined));
      const [sort] = sorts;
      if (sort === undefined || visit.schema['extensible'] === true || !sorts.every((one) => one === sort)) continue;
      const one = finding(visit, `${label(visit)} lists ${sort}, which grow.`, 'Add `extensible: true`.');
      yield {
        ...one,
        fix: {
          title: 'Add `extensible: true`',
          exact: false,
          edits: [{ do: 'add', path: [...one.path, 'extensible'], value: true }],
        },
      };
    }
  },
};

const SHARED_AFTER = 3;
const SHAPE_MEMBERS = 3;

function shapeOf(schema: Keywords): string | undefined {
  const members = Object.entries(properties(schema));
  if (members.length < SHAPE_MEMBERS) return undefined;
  const parts = members.map(([name, one]) => {
    if (!isObject(one)) return name;
    const { type, $ref, enum: listed, format } = one;
    const more = listed === undefined ? '' : JSON.stringify(listed);
    const words = [type, $ref, format].map((word) => (typeof word === 'string' ? word : JSON.stringify(word)));
    return `${name}:${words.join(' ')} ${more}`;
  });
  return [...parts.sort(), ...[...required(schema)].sort()].join(' ');
}

const envelope: Rule = {
  id: 'out-shared-envelope',
  level: 'warning',
  sentence: `An object that stands ${SHARED_AFTER} times in results is a model.`,
  *check(model) {
    const counts = new Map<string, number>();
    for (const visit of visits(model)) {
      if (visit.depth === 0 || !['output', 'shared', 'payload'].includes(visit.root.role)) continue;
      const shape = shapeOf(visit.schema);
      if (shape === undefined) continue;
      const count = (counts.get(shape) ?? 0) + 1;
      counts.set(shape, count);
      if (count === SHARED_AFTER)
        yield finding(visit, `The shape of ${label(visit)} stands here for the third time.`, 'Make it a model.');
    }
  },
};

const unusedProperty: Rule = {
  id: 'out-unused-property',
  level: 'info',
  sentence: 'Where examples show results, each optional member is shown by one or named in a text.',
  *check(model) {
    for (const tool of model.tools) {
      const shown = tool.examples.flatMap(({ output }) => (isObject(output) ? [output] : []));
      if (shown.length === 0) continue;
      const output = deref(model, tool.output);
      for (const name of Object.keys(properties(output))) {
        if (required(output).includes(name) || shown.some((one) => one[name] !== undefined)) continue;
        if (tool.description.includes(`\`${name}\``)) continue;
        yield onTool(
          tool,
          ['output', 'properties', name],
          `No example shows \`${name}\`, and no text speaks of it.`,
          'Show it in an example, or remove it.',
        );
      }
    }
  },
};

/** Calls that a result proposes: objects with a `tool` under a member that begins with `next`. */
function* proposals(value: JsonValue, path: JsonPath, proposed: boolean): Generator<readonly [JsonPath, Keywords]> {
  if (isList(value)) {
    for (const [index, one] of value.entries()) yield* proposals(one, [...path, index], proposed);
  } else if (isObject(value)) {
    if (proposed && value['tool'] !== undefined) yield [path, value];
    for (const [name, one] of Object.entries(value))
      yield* proposals(one, [...path, name], proposed || name.startsWith('next'));
  }
}

const nextAction: Rule = {
  id: 'out-next-action',
  level: 'warning',
  sentence: 'A call that an example proposes next names a living tool and valid arguments.',
  *check(model) {
    for (const tool of model.tools) {
      for (const [index, { output }] of tool.examples.entries()) {
        for (const [path, { tool: name, arguments: given }] of proposals(
          output ?? null,
          ['examples', index, 'output'],
          false,
        )) {
          const next = model.tools.find((one) => one.name === name && one.deprecated === undefined);
          if (next === undefined) {
            yield onTool(tool, [...path, 'tool'], `${JSON.stringify(name)} is no living tool.`, 'Name one.', 'value');
            continue;
          }
          const [fault] = given === undefined ? [] : faultsOf(model, next.input, given);
          if (fault !== undefined)
            yield onTool(
              tool,
              [...path, 'arguments', ...fault.path],
              `The arguments for \`${next.name}\` are not valid: ${describeFault(fault)}.`,
              'Correct the example.',
              'value',
            );
        }
      }
    }
  },
};

export const resultRules: readonly Rule[] = [
  worstCase,
  stableOrder,
  identifiers,
  links,
  nullSoup,
  extensible,
  envelope,
  unusedProperty,
  nextAction,
];
