import type { PromptPart, PromptSpec } from './types.ts';

export type Mention = PromptSpec['mentions'][number];

export interface PromptText {
  readonly parts: readonly PromptPart[];
  readonly mentions: readonly Mention[];
  /** Braces that are no placeholder, as written. */
  readonly malformed: readonly string[];
}

const PLACEHOLDER = /\{\{\s*(?:(tool|resource|prompt|error)\s+"([^"{}]*)"|([a-z][a-z0-9_]*))\s*\}\}/gu;
const KINDS = ['tool', 'resource', 'prompt', 'error'] as const;

/** Splits a prompt text into fixed text and argument values. `print` says what a checked name looks like in the text. */
export function parsePromptText(text: string, print: (mention: Mention) => string): PromptText {
  const parts: PromptPart[] = [];
  const mentions: Mention[] = [];
  const malformed: string[] = [];
  let pending = '';
  let end = 0;
  const fixed = (piece: string): void => {
    const stray = /\{\{[^\n]{0,40}|\}\}/u.exec(piece);
    if (stray !== null) malformed.push(stray[0]);
    pending += piece;
  };
  for (const match of text.matchAll(PLACEHOLDER)) {
    fixed(text.slice(end, match.index));
    end = match.index + match[0].length;
    const kind = KINDS.find((one) => one === match[1]);
    if (kind === undefined) {
      if (pending !== '') parts.push({ text: pending });
      pending = '';
      parts.push({ argument: match[3] ?? '' });
    } else {
      const mention = { kind, name: match[2] ?? '' };
      mentions.push(mention);
      pending += print(mention);
    }
  }
  fixed(text.slice(end));
  if (pending !== '') parts.push({ text: pending });
  return { parts, mentions, malformed };
}
