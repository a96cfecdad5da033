import { nearest } from '../load/did-you-mean.ts';
import type { ContractModel, JsonPath, Source } from '../model/types.ts';
import { MAX_TOOL_NAME, toolNameFault } from '../model/names.ts';
import { onTool } from './outputs.ts';
import { mending } from './rule.ts';
import type { Finding, Rule } from './rule.ts';
import { DESTRUCTIVE_EXCEPTIONS, DESTRUCTIVE_VERBS, PROTOCOL_NAMES, VERBS } from './words.ts';

const format: Rule = {
  id: 'name-format',
  level: 'error',
  sentence: `Tool names and aliases are lower snake case, begin with a letter and have at most ${MAX_TOOL_NAME} characters.`,
  *check(model) {
    for (const tool of model.tools) {
      const fault = toolNameFault(tool.name);
      if (fault !== undefined)
        yield onTool(tool, ['name'], fault, 'Use a few lower case words joined by `_`.', 'value');
    }
    for (const { owner, alias, source, path } of aliasesOf(model)) {
      const fault = toolNameFault(alias);
      if (fault !== undefined)
        yield { source, path, entity: `tool ${owner}`, message: fault, remedy: 'Remove the alias.' };
    }
  },
};

const budget: Rule = {
  id: 'name-budget',
  level: 'error',
  sentence: 'A tool name fits each client together with the prefix the client puts before it.',
  *check({ tools, profiles, server }) {
    for (const tool of tools) {
      for (const { name: client, limits } of profiles) {
        const { tool_name: own, prefixed_tool_name: whole, host_prefix: prefix = 0 } = limits;
        const length = tool.name.length + server.name.length + prefix;
        if (own !== undefined && tool.name.length > own) {
          yield onTool(
            tool,
            ['name'],
            `The client \`${client}\` takes names of at most ${own} characters.`,
            'Shorten it.',
            'value',
          );
        } else if (whole !== undefined && length > whole) {
          yield onTool(
            tool,
            ['name'],
            `With server name and prefix the name has ${length} characters; the client \`${client}\` takes ${whole}.`,
            'Shorten it.',
            'value',
          );
        }
      }
    }
  },
};

function aliasesOf(
  model: ContractModel,
): { readonly owner: string; readonly alias: string; readonly source: Source; readonly path: JsonPath }[] {
  return model.tools.flatMap(({ name, aliases, source }) =>
    aliases.map((alias, index) => ({ owner: name, alias, source, path: ['aliases', index] })),
  );
}

const reserved: Rule = {
  id: 'name-reserved',
  level: 'error',
  fixes: 'some',
  sentence: 'Names keep clear of protocol words and of names that are taken.',
  *check(model) {
    for (const tool of model.tools) {
      if (
        PROTOCOL_NAMES.includes(tool.name) ||
        tool.name.startsWith('notifications_') ||
        tool.name.startsWith('rpc_')
      ) {
        yield onTool(tool, ['name'], `\`${tool.name}\` is a word of the protocol.`, 'Choose another name.', 'value');
      }
    }
    const taken = new Map<string, string>(model.tools.map(({ name }) => [name.toLowerCase(), name]));
    for (const { owner, alias, source, path } of aliasesOf(model)) {
      const other = taken.get(alias.toLowerCase());
      if (other !== undefined) {
        const message = `The alias \`${alias}\` is already a name of \`${other}\`.`;
        yield mending(
          { source, path, entity: `tool ${owner}`, message, remedy: 'Remove it.' },
          `Remove the alias \`${alias}\``,
          { do: 'drop', path: ['aliases'], value: alias },
        );
      }
      taken.set(alias.toLowerCase(), owner);
    }
  },
};

const verbFirst: Rule = {
  id: 'name-verb-object',
  level: 'warning',
  sentence: 'A tool name begins with a known verb and goes on with what it acts on.',
  *check({ tools }) {
    for (const tool of tools) {
      const [verb = '', object] = tool.name.split('_');
      if (object === undefined)
        yield onTool(tool, ['name'], 'The name says no verb and object.', 'Write it as `verb_object`.', 'value');
      else if (!VERBS.includes(verb) && !DESTRUCTIVE_VERBS.includes(verb)) {
        const near = nearest(verb, VERBS);
        yield onTool(
          tool,
          ['name'],
          `\`${verb}\` is not one of the verbs tools use.`,
          near === undefined ? `Use one of ${VERBS.join(', ')}.` : `Did you mean \`${near}\`?`,
          'value',
        );
      }
    }
  },
};

const destructive: Rule = {
  id: 'name-destructive',
  level: 'error',
  sentence: 'No tool destroys: names of destruction are refused, with one listed exception.',
  *check({ tools }) {
    for (const tool of tools) {
      const [verb = ''] = tool.name.split('_');
      if (DESTRUCTIVE_VERBS.includes(verb) && !DESTRUCTIVE_EXCEPTIONS.includes(tool.name)) {
        yield onTool(
          tool,
          ['name'],
          `\`${verb}\` promises destruction, which this server does not offer.`,
          'Leave it to a person in the console.',
          'value',
        );
      }
      if (tool.behaviour.destructive) {
        yield onTool(
          tool,
          ['behaviour', 'destructive'],
          'Destructive tools are not offered.',
          'Leave it to a person in the console.',
          'value',
        );
      }
    }
  },
};

const MAX_TOOLS = 128;

const count: Rule = {
  id: 'view-size',
  level: 'error',
  sentence: `A listing has at most ${MAX_TOOLS} tools.`,
  *check({ tools, profiles, server }): Generator<Finding> {
    const limits = profiles.map(({ limits: { tools: limit = Infinity } }) => limit);
    // A tree without profiles may be a library of contracts that no one client lists whole.
    if (limits.length === 0) return;
    const limit = Math.min(MAX_TOOLS, ...limits);
    if (tools.length > limit) {
      yield {
        source: server.source,
        path: ['name'],
        entity: 'server',
        message: `The tree has ${tools.length} tools, some clients take ${limit}.`,
        remedy: 'Split the server.',
      };
    }
  },
};

const lifecycle: Rule = {
  id: 'life-deprecated',
  level: 'error',
  sentence: 'A deprecated tool names a living replacement.',
  *check({ tools }) {
    const living = tools.filter(({ deprecated }) => deprecated === undefined).map(({ name }) => name);
    for (const tool of tools) {
      const replacement = tool.deprecated?.replacement;
      if (replacement === undefined || living.includes(replacement)) continue;
      const near = nearest(replacement, living);
      yield onTool(
        tool,
        ['deprecated', 'replacement'],
        `\`${replacement}\` is not a tool that stays.`,
        near === undefined ? 'Name a living tool.' : `Did you mean \`${near}\`?`,
        'value',
      );
    }
  },
};

export const nameRules: readonly Rule[] = [format, budget, reserved, verbFirst, destructive, count, lifecycle];
