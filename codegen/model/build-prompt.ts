import type { ContractDocument } from '../load/document.ts';
import { lifecycleOf } from './build-tool.ts';
import { fields, listOf, maybe, maybeText, numberOf, textOf, textsOf, wordOf } from './fields.ts';
import { pascalCase } from './names.ts';
import { parsePromptText } from './prompt-text.ts';
import type { Mention } from './prompt-text.ts';
import type { Diagnostic } from './diagnostic.ts';
import type { PromptArgument, PromptSpec, ResourceSpec } from './types.ts';

/** A resource is printed as its address, everything else as its name. Unknown names are for the rules to report. */
function printer(resources: readonly ResourceSpec[]): (mention: Mention) => string {
  const addresses = new Map(resources.map(({ name, uri, uriTemplate }) => [name, uri ?? uriTemplate ?? name]));
  return ({ kind, name }) => (kind === 'resource' ? (addresses.get(name) ?? name) : name);
}

function argumentOf(from: ReturnType<typeof fields>): PromptArgument {
  return {
    name: textOf(from, 'name'),
    title: textOf(from, 'title'),
    description: textOf(from, 'description'),
    required: from['required'] === true,
    maxLength: numberOf(from, 'max_length'),
    ...maybe('completion', maybeText(from, 'completion')),
  };
}

export function buildPrompt(
  document: ContractDocument,
  resources: readonly ResourceSpec[],
  diagnostics: Diagnostic[],
): PromptSpec {
  const from = document.value;
  const print = printer(resources);
  const mentions = new Map<string, Mention>();
  const messages = listOf(from, 'messages').map((one, index) => {
    const message = fields(one);
    const text = typeof message['text'] === 'string' ? message['text'] : '';
    const parsed = parsePromptText(text, print);
    for (const mention of parsed.mentions) mentions.set(`${mention.kind} ${mention.name}`, mention);
    for (const stray of parsed.malformed) {
      diagnostics.push({
        rule: 'prompt-args',
        level: 'error',
        message: `\`${stray}\` is not a placeholder.`,
        remedy: 'Write {{argument}} or {{tool "name"}}, {{resource "name"}}, {{prompt "name"}}, {{error "code"}}.',
        position: document.source.locate(['messages', index, 'text']),
        entity: `prompt ${textOf(from, 'name')}`,
      });
    }
    return { role: wordOf(message, 'role', ['user', 'assistant'], 'user'), parts: parsed.parts };
  });
  return {
    kind: 'prompt',
    name: textOf(from, 'name'),
    typeName: pascalCase(textOf(from, 'name')),
    title: textOf(from, 'title'),
    description: textOf(from, 'description'),
    ...lifecycleOf(from),
    scopes: textsOf(from, 'scopes').sort(),
    arguments: listOf(from, 'arguments').map((one) => argumentOf(fields(one))),
    messages,
    mentions: [...mentions.keys()]
      .sort()
      .map((key) => mentions.get(key))
      .filter((one) => one !== undefined),
    source: document.source,
  };
}
