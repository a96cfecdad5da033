/**
 * Changes of a contract as edits of its text, so that comments, order and layout stay. The ranges are those of the
 * full parser: block and flow style, quotes and text blocks all have their own ends.
 */
import { isMap, isScalar, isSeq, parseDocument, type Node, type Pair, type YAMLMap, type YAMLSeq } from 'yaml';
import type { FixEdit } from '../model/diagnostic.ts';
import type { JsonPath } from '../model/types.ts';

/** Exchanges the characters from `start` up to `end`. */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The edits of a text, or undefined when one of them has no place in it. */
export function textEdits(text: string, edits: readonly FixEdit[]): readonly TextEdit[] | undefined {
  const writer = new Writer(text);
  const made = edits.map((edit) => writer.edit(edit));
  return made.every((one) => one !== undefined) ? made : undefined;
}

export interface Applied {
  readonly text: string;
  /** For each group whether it was applied. */
  readonly taken: readonly boolean[];
}

/** Applies the groups that do not touch an earlier one; the rest is found again on the next round. */
export function applyEdits(text: string, groups: readonly (readonly TextEdit[])[]): Applied {
  const edits: TextEdit[] = [];
  const taken = groups.map((group) => {
    const free = group.every((one) =>
      edits.every((other) => (one.start >= other.end || other.start >= one.end) && one.start !== other.start),
    );
    if (free) edits.push(...group);
    return free && group.length > 0;
  });
  let written = text;
  for (const { start, end, text: into } of edits.sort((left, right) => right.start - left.start))
    written = written.slice(0, start) + into + written.slice(end);
  return { text: written, taken };
}

type Step = { readonly parent: YAMLMap | YAMLSeq; readonly index: number };

class Writer {
  readonly #text: string;
  readonly #root: Node | null;

  constructor(text: string) {
    this.#text = text;
    this.#root = parseDocument(text, { version: '1.2', merge: false, logLevel: 'silent' }).contents;
  }

  edit(edit: FixEdit): TextEdit | undefined {
    switch (edit.do) {
      case 'remove':
        return this.#remove(edit.path);
      case 'drop':
        return this.#drop(edit.path, edit.value);
      case 'set':
        return this.#exchange(edit.path, () => scalar(edit.value));
      case 'add':
        return this.#add(edit.path, edit.value);
      case 'replace':
        return this.#exchange(edit.path, (written) => replaced(written, edit.from, edit.to));
      case 'modeline':
        return this.#modeline(edit.line);
    }
  }

  #node(path: JsonPath): Node | null {
    let node = this.#root;
    for (const step of path) {
      const next: unknown = isMap(node) || isSeq(node) ? node.get(step, true) : undefined;
      node = isMap(next) || isSeq(next) || isScalar(next) ? next : null;
      if (node === null) return null;
    }
    return node;
  }

  #step(path: JsonPath): Step | undefined {
    const parent = this.#node(path.slice(0, -1));
    const last = path.at(-1);
    if (isSeq(parent))
      return typeof last === 'number' && last < parent.items.length ? { parent, index: last } : undefined;
    if (!isMap(parent)) return undefined;
    const index = parent.items.findIndex(({ key }) => isScalar(key) && key.value === last);
    return index === -1 ? undefined : { parent, index };
  }

  #exchange(path: JsonPath, into: (written: string) => string | undefined): TextEdit | undefined {
    const node = this.#node(path);
    const [start, end] = node?.range ?? [];
    if (!isScalar(node) || start === undefined || end === undefined) return undefined;
    const text = into(this.#text.slice(start, end));
    return text === undefined ? undefined : { start, end, text };
  }

  #remove(path: JsonPath): TextEdit | undefined {
    const step = this.#step(path);
    if (step === undefined) return undefined;
    const { parent, index } = step;
    // A holder with nothing in it goes with its last member.
    if (parent.items.length === 1 && path.length > 1) return this.#remove(path.slice(0, -1));
    return parent.flow === true ? this.#removeInline(parent, index) : this.#removeLines(parent, index);
  }

  #drop(path: JsonPath, value: string): TextEdit | undefined {
    const list = this.#node(path);
    if (!isSeq(list)) return undefined;
    const index = list.items.findIndex((item) => isScalar(item) && item.value === value);
    return index === -1 ? undefined : this.#remove([...path, index]);
  }

  #removeInline(parent: YAMLMap | YAMLSeq, index: number): TextEdit | undefined {
    const own = spanOf(parent.items[index]);
    const next = spanOf(parent.items[index + 1]);
    const before = spanOf(parent.items[index - 1]);
    if (own === undefined) return undefined;
    if (next !== undefined) return { start: own.start, end: next.start, text: '' };
    return before === undefined ? undefined : { start: before.end, end: own.end, text: '' };
  }

  #removeLines(parent: YAMLMap | YAMLSeq, index: number): TextEdit | undefined {
    const own = spanOf(parent.items[index]);
    if (own === undefined) return undefined;
    const lineStart = this.#text.lastIndexOf('\n', own.start - 1) + 1;
    const lead = this.#text.slice(lineStart, own.start);
    const next = spanOf(parent.items[index + 1]);
    // The first key behind a dash: the next one takes its place.
    if (isMap(parent) && lead.trim() !== '')
      return next === undefined ? undefined : { start: own.start, end: next.start, text: '' };
    return { start: lineStart, end: this.#lineAfter(own.end), text: '' };
  }

  #lineAfter(end: number): number {
    // The end of a text block is already the start of a line.
    if (this.#text[end - 1] === '\n') return end;
    const line = this.#text.indexOf('\n', end);
    return line === -1 ? this.#text.length : line + 1;
  }

  #add(path: JsonPath, value: string | number | boolean): TextEdit | undefined {
    const holder = this.#node(path.slice(0, -1));
    const key = path.at(-1);
    if (holder === null && key === '-') return this.#add(path.slice(0, -1), `[${scalar(value)}]`);
    const isItem = isSeq(holder) && key === '-';
    if (!isItem && (!isMap(holder) || typeof key !== 'string' || holder.has(key))) return undefined;
    if (!isMap(holder) && !isSeq(holder)) return undefined;
    const member = isItem ? scalar(value) : `${String(key)}: ${scalar(value)}`;
    const last = spanOf(holder.items.at(-1));
    if (holder.flow === true) {
      if (last !== undefined) return { start: last.end, end: last.end, text: `, ${member}` };
      const [start, end] = holder.range ?? [];
      const [open, close] = isItem ? ['[', ']'] : ['{ ', ' }'];
      return start === undefined || end === undefined ? undefined : { start, end, text: `${open}${member}${close}` };
    }
    const first = spanOf(holder.items[0]);
    if (last === undefined || first === undefined) return undefined;
    const at = this.#lineAfter(last.end);
    const lineStart = this.#text.lastIndexOf('\n', first.start - 1) + 1;
    const indent = isItem ? (/^ */u.exec(this.#text.slice(lineStart))?.[0].length ?? 0) : first.start - lineStart;
    const line = `${' '.repeat(indent)}${isItem ? '- ' : ''}${member}\n`;
    return { start: at, end: at, text: this.#text.endsWith('\n') || at < this.#text.length ? line : `\n${line}` };
  }

  #modeline(line: string): TextEdit {
    const written = /^# yaml-language-server:[^\n]*$/mu.exec(this.#text);
    if (written === null) return { start: 0, end: 0, text: `${line}\n` };
    return { start: written.index, end: written.index + written[0].length, text: line };
  }
}

/** From the first to the last character of a list item, or of a key with its value. */
function spanOf(item: unknown): { readonly start: number; readonly end: number } | undefined {
  if (isMap(item) || isSeq(item) || isScalar(item)) return rangeOf(item, item);
  if (typeof item !== 'object' || item === null || !('key' in item) || !('value' in item)) return undefined;
  // because the items of a parsed map are pairs
  const { key, value } = item as Pair<Node, Node | null>;
  return rangeOf(key, value ?? key);
}

function rangeOf(from: Node, to: Node): { readonly start: number; readonly end: number } | undefined {
  const start = from.range?.[0];
  const end = to.range?.[1];
  return start === undefined || end === undefined ? undefined : { start, end };
}

const PLAIN = /^[A-Za-z][\w./ -]*$/u;
const READ_OTHERWISE = /^(?:true|false|null|yes|no|on|off|~)$/iu;

/** A list that was made above stays as it is. */
function scalar(value: string | number | boolean): string {
  if (typeof value !== 'string') return String(value);
  if (/^\[[^\]]*\]$/u.test(value)) return value;
  return PLAIN.test(value) && value.trim() === value && !READ_OTHERWISE.test(value) ? value : JSON.stringify(value);
}

/** The text with some characters exchanged, also where a quoted text has them as escapes. */
function replaced(written: string, from: string, to: string): string | undefined {
  const escaped = Array.from(
    { length: from.length },
    (_, at) => `\\u${from.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');
  for (const form of [from, escaped, escaped.toUpperCase().replaceAll('\\U', '\\u')])
    if (form !== '' && written.includes(form)) return written.replaceAll(form, to);
  return undefined;
}
