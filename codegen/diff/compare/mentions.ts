import type { PromptSurface } from '../surface/types.ts';

type Messages = NonNullable<PromptSurface['messages']>;

/** The fixed text of a prompt, values of arguments left out. */
export function promptText(messages: Messages): string {
  return messages.map(({ parts }) => parts.map((part) => ('text' in part ? part.text : '')).join('')).join('\n');
}

/** Tools a prompt tells the model to call. */
export function promptTools(messages: Messages, tools: readonly string[]): string[] {
  const words = new Set(promptText(messages).match(/[A-Za-z0-9_.-]+/gu));
  return tools.filter((name) => words.has(name) || words.has(`${name}.`)).toSorted();
}

/** Names in backticks. */
export function quotedNames(text: string): string[] {
  return [...text.matchAll(/`([a-z][a-z0-9_]*)`/gu)].map(([, name = '']) => name);
}
