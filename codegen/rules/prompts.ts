import { didYouMean, nearest } from '../load/did-you-mean.ts';
import type { ContractModel, JsonPath, PromptSpec } from '../model/types.ts';
import type { Finding, Rule } from './rule.ts';

function on(prompt: PromptSpec, path: JsonPath, message: string, remedy?: string): Finding {
  return {
    source: prompt.source,
    path,
    entity: `prompt ${prompt.name}`,
    message,
    ...(remedy === undefined ? {} : { remedy }),
  };
}

const names: Rule = {
  id: 'prompt-args',
  level: 'error',
  sentence: 'The arguments a prompt uses are the arguments it declares.',
  *check({ prompts }) {
    for (const prompt of prompts) {
      const declared = prompt.arguments.map(({ name }) => name);
      const used = new Set<string>();
      for (const [index, { parts }] of prompt.messages.entries()) {
        for (const part of parts) {
          if (!('argument' in part) || used.has(part.argument)) continue;
          used.add(part.argument);
          if (declared.includes(part.argument)) continue;
          yield on(
            prompt,
            ['messages', index, 'text'],
            `\`{{${part.argument}}}\` is not an argument of this prompt.`,
            didYouMean(part.argument, declared) ?? 'Declare it under `arguments`.',
          );
        }
      }
      for (const [index, { name }] of prompt.arguments.entries()) {
        if (declared.indexOf(name) !== index)
          yield on(prompt, ['arguments', index, 'name'], `\`${name}\` stands twice.`, 'Keep one of them.');
        else if (!used.has(name))
          yield on(
            prompt,
            ['arguments', index, 'name'],
            `\`${name}\` is never used.`,
            `Use {{${name}}}, or remove it.`,
          );
      }
    }
  },
};

function known(model: ContractModel): Readonly<Record<PromptSpec['mentions'][number]['kind'], readonly string[]>> {
  return {
    tool: model.tools.map(({ name }) => name),
    resource: model.resources.map(({ name }) => name),
    prompt: model.prompts.map(({ name }) => name),
    error: model.errors.map(({ code }) => code),
  };
}

function mentionPlace(prompt: PromptSpec): JsonPath {
  return ['messages', 0, 'text'].slice(0, prompt.messages.length > 0 ? 3 : 1);
}

const mentions: Rule = {
  id: 'prompt-tools',
  level: 'error',
  sentence: 'What a prompt names exists, is not going away, and its tools are open to the scopes of the prompt.',
  *check(model) {
    const lists = known(model);
    const writes = new Set(model.scopes.filter(({ permission }) => permission === 'write').map(({ name }) => name));
    for (const prompt of model.prompts) {
      const mayWrite = prompt.scopes.some((scope) => writes.has(scope));
      for (const { kind, name } of prompt.mentions) {
        if (!lists[kind].includes(name)) {
          const near = nearest(name, lists[kind]);
          yield on(
            prompt,
            mentionPlace(prompt),
            `There is no ${kind} \`${name}\`.`,
            near === undefined ? `Name a ${kind} of this contract.` : `Did you mean \`${near}\`?`,
          );
        }
        if (kind !== 'tool') continue;
        const tool = model.tools.find((one) => one.name === name);
        if (tool?.deprecated !== undefined)
          yield on(
            prompt,
            mentionPlace(prompt),
            `\`${name}\` is deprecated.`,
            `Name \`${tool.deprecated.replacement ?? 'another tool'}\`.`,
          );
        if (tool?.permission === 'write' && !mayWrite)
          yield on(
            prompt,
            ['scopes'],
            `The prompt sends the reader to \`${name}\`, which writes, with read scopes only.`,
            'Add the write scope.',
          );
      }
    }
  },
};

/** Whether the value that follows `before` would stand inside a code span, a code fence, a command line or a tag. */
function standsInCode(before: string): string | undefined {
  const fences = before.match(/^ {0,3}(?:```|~~~)/gmu)?.length ?? 0;
  if (fences % 2 === 1) return 'a code block';
  const line = before.slice(before.lastIndexOf('\n') + 1);
  if ((line.match(/`/gu)?.length ?? 0) % 2 === 1) return 'backticks';
  if (/^\s*(?:\$|>|#!|npx|npm|curl|bash|sh|python|overmind)\s/u.test(line)) return 'a command line';
  if (/<[A-Za-z/][^>]*$/u.test(line)) return 'a tag';
  if (/^ {4}|^\t/u.test(line)) return 'an indented code block';
  return undefined;
}

const injection: Rule = {
  id: 'prompt-injection',
  level: 'error',
  sentence: "A caller's value stands in plain text only, in what the user says.",
  *check({ prompts }) {
    for (const prompt of prompts) {
      for (const [index, { role, parts }] of prompt.messages.entries()) {
        let before = '';
        for (const part of parts) {
          if ('text' in part) {
            before += part.text;
            continue;
          }
          const place = standsInCode(before);
          if (place !== undefined)
            yield on(
              prompt,
              ['messages', index, 'text'],
              `\`{{${part.argument}}}\` stands inside ${place}.`,
              'Move it into a plain sentence.',
            );
          if (role === 'assistant')
            yield on(
              prompt,
              ['messages', index, 'text'],
              `\`{{${part.argument}}}\` would be spoken by the assistant.`,
              'Move it into a message of the user.',
            );
          before += 'x';
        }
      }
    }
  },
};

const human: Rule = {
  id: 'prompt-human',
  level: 'warning',
  sentence: 'A prompt that leads to spending asks a person first.',
  *check(model) {
    const costly = new Set(
      model.tools
        .filter(({ behaviour }) => behaviour.costClass === 'llm' || behaviour.costClass === 'gpu')
        .map(({ name }) => name),
    );
    for (const prompt of model.prompts) {
      const spends = prompt.mentions.find(({ kind, name }) => kind === 'tool' && costly.has(name));
      const text = prompt.messages
        .flatMap(({ parts }) => parts.map((part) => ('text' in part ? part.text : '')))
        .join(' ');
      if (spends !== undefined && !/\b(?:approv|ask|confirm|consent|permission)/iu.test(text)) {
        yield on(
          prompt,
          ['messages', 0, 'text'],
          `\`${spends.name}\` spends money and nobody is asked.`,
          'Ask the person before that step.',
        );
      }
    }
  },
};

const OUTCOME =
  /\b(?:finish|end|conclu\w{2,5}|decid\w{1,3}|decision|report|summar\w{2,4}|tell|say|stop|answer|result|propos\w{1,4}|ask|approv\w{1,3}|confirm)\b/iu;
/** How much of a prompt is its end. */
const TAIL_LINES = 6;

const end: Rule = {
  id: 'prompt-end',
  level: 'info',
  sentence: 'A prompt ends with what shall come of it.',
  *check({ prompts }) {
    for (const prompt of prompts) {
      const last = prompt.messages.length - 1;
      const text = prompt.messages[last]?.parts.map((part) => ('text' in part ? part.text : '')).join('') ?? '';
      const tail = text.trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
      if (OUTCOME.test(tail)) continue;
      yield on(
        prompt,
        ['messages', last, 'text'],
        'The prompt ends without saying what shall come of it.',
        'End with the outcomes to choose from.',
      );
    }
  },
};

export const promptRules: readonly Rule[] = [names, mentions, injection, human, end];
