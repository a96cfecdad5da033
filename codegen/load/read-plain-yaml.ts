/**
 * Reads the part of YAML that contracts are written in, many times faster than a full YAML parser: block maps and
 * lists, flow collections, plain and quoted one-line scalars, `|` and `>` text. Whatever it does not know for certain
 * (anchors, tags, tabs, odd numbers, broken text) makes it give up, and the full parser decides and reports. It never
 * reports anything itself, and tests hold its nodes equal to those of the full parser.
 */
import type { MapEntry, YamlNode } from './nodes.ts';

/** Not an error: the text belongs to the full parser. */
class GiveUp extends Error {}

const MAX_DEPTH = 64;
const KEY = /^(?:[A-Za-z_$][\w$.-]*|"[^"\\\n]*")(?=:(?: |$))/u;
const FLOW_KEY = /(?:[A-Za-z_$][\w$.-]*|"[^"\\\n]*")(?=:[ \n])/uy;
const DOUBLE = /^"(?:[^"\\\n]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"/u;
const SINGLE = /^'(?:[^'\n]|'')*'/u;
const AMBIGUOUS = /^(?:~|null|true|false|yes|no|on|off|[-+]?\.(?:inf|nan))$/iu;
const NUMBER_LIKE = /^[-+]?(?:0o[0-7]+|0x[0-9a-fA-F]+|\.?[0-9][0-9_]*(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?)$/u;
const PLAIN_NUMBER = /^-?(?:0|[1-9][0-9]{0,15})(?:\.[0-9]{1,15})?$/u;

interface Line {
  readonly start: number;
  readonly indent: number;
  /** The line without its indentation. */
  readonly text: string;
}

function isComment(text: string): boolean {
  return text === '' || text.startsWith('#');
}

function plain(text: string, start: number): YamlNode {
  if (text === 'true' || text === 'false') return { kind: 'scalar', start, value: text === 'true', plain: text };
  if (text === 'null') return { kind: 'scalar', start, value: null, plain: text };
  if (text === '' || AMBIGUOUS.test(text) || /^[,[\]{}#&*!|>'"%@`]|^[-?:](?: |$)|^(?:---|\.\.\.)/u.test(text))
    throw new GiveUp();
  if (PLAIN_NUMBER.test(text) && Math.abs(Number(text)) <= Number.MAX_SAFE_INTEGER) {
    return { kind: 'scalar', start, value: Number(text), plain: text };
  }
  if (NUMBER_LIKE.test(text)) throw new GiveUp();
  return { kind: 'scalar', start, value: text, plain: text };
}

function quoted(text: string): { readonly length: number; readonly value: string } | undefined {
  const double = DOUBLE.exec(text)?.[0];
  // because the pattern admits exactly the escapes JSON has
  if (double !== undefined) return { length: double.length, value: JSON.parse(double) as string };
  const single = SINGLE.exec(text)?.[0];
  return single === undefined ? undefined : { length: single.length, value: single.slice(1, -1).replaceAll("''", "'") };
}

/** Adds an entry, or gives up where the full parser has something to say about the key. */
function addEntry(entries: MapEntry[], seen: Set<string>, entry: MapEntry): void {
  if (seen.has(entry.key) || entry.key === '__proto__' || entry.key === '<<') throw new GiveUp();
  seen.add(entry.key);
  entries.push(entry);
}

function keyName(written: string): string {
  if (written.startsWith('"')) return written.slice(1, -1);
  if (AMBIGUOUS.test(written)) throw new GiveUp();
  return written;
}

/** Flow collections, which may run over several lines. */
class FlowReader {
  readonly #text: string;
  at: number;

  readonly #indent: number;

  /** `indent` is that of the block around the collection, which its further lines must exceed. */
  constructor(text: string, at: number, indent: number) {
    this.#text = text;
    this.at = at;
    this.#indent = indent;
  }

  value(depth: number): YamlNode {
    if (depth > MAX_DEPTH) throw new GiveUp();
    const start = this.at;
    const first = this.#text[start];
    if (first === '{') return this.#map(depth);
    if (first === '[') return this.#list(depth);
    if (first === '"' || first === "'") {
      const lineEnd = this.#text.indexOf('\n', start);
      const found = quoted(this.#text.slice(start, lineEnd === -1 ? undefined : lineEnd));
      if (found === undefined) throw new GiveUp();
      this.at += found.length;
      return { kind: 'scalar', start, value: found.value };
    }
    let end = start;
    for (;;) {
      const next = this.#text[end];
      if (next === undefined || next === '\n' || next === '{' || next === '[') throw new GiveUp();
      if (next === ',' || next === '}' || next === ']') break;
      const after = this.#text[end + 1] ?? '';
      if ((next === ':' && ' ,]}\n'.includes(after)) || (next === '#' && this.#text[end - 1] === ' '))
        throw new GiveUp();
      end += 1;
    }
    this.at = end;
    return plain(this.#text.slice(start, end).trimEnd(), start);
  }

  #space(): void {
    let lineStart = -1;
    for (;;) {
      const next = this.#text[this.at];
      if (next === '\n') lineStart = this.at + 1;
      else if (next === '#' || next === undefined) throw new GiveUp();
      else if (next !== ' ') break;
      this.at += 1;
    }
    if (lineStart !== -1 && this.at - lineStart <= this.#indent) throw new GiveUp();
  }

  /** After an element: true when the collection ends. */
  #ends(close: string): boolean {
    this.#space();
    const next = this.#text[this.at];
    if (next !== ',' && next !== close) throw new GiveUp();
    this.at += 1;
    if (next === close) return true;
    this.#space();
    return false;
  }

  #list(depth: number): YamlNode {
    const start = this.at;
    const items: YamlNode[] = [];
    this.at += 1;
    this.#space();
    if (this.#text[this.at] === ']') {
      this.at += 1;
      return { kind: 'list', start, items };
    }
    do items.push(this.value(depth + 1));
    while (!this.#ends(']'));
    return { kind: 'list', start, items };
  }

  #map(depth: number): YamlNode {
    const start = this.at;
    const entries: MapEntry[] = [];
    const seen = new Set<string>();
    this.at += 1;
    this.#space();
    if (this.#text[this.at] === '}') {
      this.at += 1;
      return { kind: 'map', start, entries };
    }
    do {
      const keyStart = this.at;
      FLOW_KEY.lastIndex = keyStart;
      const written = FLOW_KEY.exec(this.#text)?.[0];
      if (written === undefined) throw new GiveUp();
      this.at += written.length + 1;
      this.#space();
      addEntry(entries, seen, { key: keyName(written), keyStart, value: this.value(depth + 1) });
    } while (!this.#ends('}'));
    return { kind: 'map', start, entries };
  }
}

class BlockReader {
  readonly #text: string;
  readonly #lines: readonly Line[];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    const lines: Line[] = [];
    let start = 0;
    for (const raw of text.split('\n')) {
      const indent = raw.length - raw.trimStart().length;
      lines.push({ start, indent, text: raw.slice(indent) });
      start += raw.length + 1;
    }
    this.#lines = lines;
  }

  document(): YamlNode {
    const first = this.#peek();
    if (first?.indent !== 0) throw new GiveUp();
    const node = this.#block(0, 0);
    if (this.#peek() !== undefined) throw new GiveUp();
    return node;
  }

  /** The next line with content. */
  #peek(): Line | undefined {
    for (;;) {
      const line = this.#lines[this.#at];
      if (line === undefined || !isComment(line.text)) return line;
      this.#at += 1;
    }
  }

  #block(indent: number, depth: number): YamlNode {
    const line = this.#peek();
    if (line === undefined || depth > MAX_DEPTH) throw new GiveUp();
    return line.text.startsWith('- ') ? this.#list(indent, depth) : this.#map(indent, line.start + line.indent, depth);
  }

  #list(indent: number, depth: number): YamlNode {
    const first = this.#peek();
    const items: YamlNode[] = [];
    for (
      let line = first;
      line !== undefined && line.indent === indent && line.text.startsWith('- ');
      line = this.#peek()
    ) {
      const rest = line.text.slice(2);
      const inner = rest.trimStart();
      const column = indent + 2 + rest.length - inner.length;
      const start = line.start + column;
      items.push(KEY.test(inner) ? this.#map(column, start, depth + 1) : this.#inline(inner, start, indent, depth + 1));
    }
    const next = this.#peek();
    if (next !== undefined && next.indent > indent) throw new GiveUp();
    return { kind: 'list', start: (first?.start ?? 0) + indent, items };
  }

  /** A map whose keys stand at `indent`; the first may follow a dash on its line. */
  #map(indent: number, start: number, depth: number): YamlNode {
    if (depth > MAX_DEPTH) throw new GiveUp();
    const entries: MapEntry[] = [];
    const seen = new Set<string>();
    for (let keyStart = start; ;) {
      const line = this.#peek();
      const content = line?.text.slice(keyStart - line.start - line.indent) ?? '';
      const written = KEY.exec(content)?.[0];
      if (line === undefined || written === undefined) throw new GiveUp();
      const after = content.slice(written.length + 1);
      const inner = after.trimStart();
      const valueStart = keyStart + content.length - inner.length;
      const value = isComment(inner) ? this.#nested(indent, depth) : this.#inline(inner, valueStart, indent, depth + 1);
      addEntry(entries, seen, { key: keyName(written), keyStart, value });
      const next = this.#peek();
      if (next !== undefined && next.indent > indent) throw new GiveUp();
      if (next === undefined || next.indent < indent || next.text.startsWith('- '))
        return { kind: 'map', start, entries };
      keyStart = next.start + next.indent;
    }
  }

  /** The value of a key with nothing behind it: the block below. A list may stand at the key's own indentation. */
  #nested(indent: number, depth: number): YamlNode {
    this.#at += 1;
    const next = this.#peek();
    if (next === undefined) throw new GiveUp();
    if (next.indent > indent) return this.#block(next.indent, depth + 1);
    if (next.indent === indent && next.text.startsWith('- ')) return this.#list(indent, depth + 1);
    throw new GiveUp();
  }

  /** A value that begins on the current line. Afterwards the reader stands on the line behind it. */
  #inline(text: string, start: number, indent: number, depth: number): YamlNode {
    const [first] = text;
    if (first === '|' || first === '>') return this.#textBlock(text, start, indent);
    if (first === '{' || first === '[') {
      const reader = new FlowReader(this.#text, start, indent);
      const node = reader.value(depth);
      this.#leave(reader.at, indent);
      return node;
    }
    const found = first === '"' || first === "'" ? quoted(text) : undefined;
    if (found !== undefined) {
      this.#leave(start + found.length, indent);
      return { kind: 'scalar', start, value: found.value };
    }
    const comment = text.indexOf(' #');
    const words = (comment === -1 ? text : text.slice(0, comment)).trimEnd();
    if (words.includes(': ') || words.endsWith(':')) throw new GiveUp();
    this.#at += 1;
    this.#noContinuation(indent);
    return plain(words, start);
  }

  /** Goes on behind `end`; only a comment may follow on that line. */
  #leave(end: number, indent: number): void {
    while ((this.#lines[this.#at + 1]?.start ?? Infinity) <= end) this.#at += 1;
    const line = this.#lines[this.#at];
    if (line === undefined || !/^(?: *$| +#)/u.test(line.text.slice(end - line.start - line.indent)))
      throw new GiveUp();
    this.#at += 1;
    this.#noContinuation(indent);
  }

  /** A deeper line below a finished value would belong to it. */
  #noContinuation(indent: number): void {
    const next = this.#peek();
    if (next !== undefined && next.indent > indent) throw new GiveUp();
  }

  #textBlock(header: string, start: number, indent: number): YamlNode {
    if (!/^[|>]-?$/u.test(header)) throw new GiveUp();
    this.#at += 1;
    const rows: string[] = [];
    const inner = this.#lines[this.#at]?.indent ?? 0;
    if (inner <= indent || isBlank(this.#lines[this.#at])) throw new GiveUp();
    for (
      let line = this.#lines[this.#at];
      line !== undefined && (isBlank(line) || line.indent >= inner);
      line = this.#lines[this.#at]
    ) {
      rows.push(isBlank(line) ? '' : ' '.repeat(line.indent - inner) + line.text);
      // Blank rows may hold spaces of their own; what those mean is left to the full parser.
      if (isBlank(line) && line.indent > inner) throw new GiveUp();
      this.#at += 1;
    }
    while (rows.at(-1) === '') rows.pop();
    const next = this.#lines[this.#at];
    if (next !== undefined && next.indent > indent) throw new GiveUp();
    const value = header.startsWith('|') ? rows.join('\n') : fold(rows);
    return { kind: 'scalar', start, value: header.endsWith('-') ? value : `${value}\n` };
  }
}

function isBlank(line: Line | undefined): boolean {
  return line === undefined || line.text === '';
}

function fold(rows: readonly string[]): string {
  let text = '';
  let blanks = 0;
  for (const [index, row] of rows.entries()) {
    if (row === '') {
      blanks += 1;
      continue;
    }
    if (row.startsWith(' ') || row.endsWith(' ')) throw new GiveUp();
    if (index > 0) text += blanks === 0 ? ' ' : '\n'.repeat(blanks);
    text += row;
    blanks = 0;
  }
  return text;
}

/** The nodes of a document that is plain enough, else undefined. */
export function readPlainYaml(text: string): YamlNode | undefined {
  // Tabs, carriage returns and other control characters change meaning by place; so does a missing last line end.
  if (!text.endsWith('\n') || /[\t\r\u0085\u2028\u2029\uFEFF]|^(?:%|---|\.\.\.)/mu.test(text)) return undefined;
  try {
    return new BlockReader(text).document();
  } catch (error) {
    if (error instanceof GiveUp) return undefined;
    throw error;
  }
}
