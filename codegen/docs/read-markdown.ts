/** Reads the Markdown of guides: headings, paragraphs, lists, tables and code. Everything else stays text. */
import { anchorOf } from './page.ts';
import type { Block, Inline, Text } from './page.ts';
import type { Names } from './prose.ts';

export interface Guide {
  readonly title: string;
  readonly summary: string;
  readonly blocks: readonly Block[];
}

export interface Reading {
  readonly names: Names;
  /** Page of a relative link, or undefined when the site does not have it. */
  readonly pageOf: (href: string) => string | undefined;
}

export function readGuide(markdown: string, reading: Reading): Guide {
  const { text, description } = withoutFrontMatter(markdown);
  const lines = text.split(/\r?\n/u);
  const blocks: Block[] = [];
  let title = '';
  for (let at = 0; at < lines.length;) {
    const line = lines[at] ?? '';
    const hashes = /^(#{1,6}) +(.*)$/u.exec(line);
    if (hashes !== null) {
      const [, marks = '', words = ''] = hashes;
      if (marks.length === 1 && title === '') title = plain(words);
      else blocks.push({ kind: 'heading', level: marks.length > 2 ? 3 : 2, text: plain(words) });
      at += 1;
      continue;
    }
    const [block, next] = blockAt(lines, at, reading);
    if (block !== undefined) blocks.push(block);
    at = next;
  }
  return { title, summary: description, blocks };
}

function blockAt(lines: readonly string[], at: number, reading: Reading): readonly [Block | undefined, number] {
  const line = lines[at] ?? '';
  if (line.trim() === '') return [undefined, at + 1];
  if (line.startsWith('```')) {
    const found = lines.indexOf('```', at + 1);
    const end = found < 0 ? lines.length : found;
    return [{ kind: 'code', text: lines.slice(at + 1, end).join('\n') }, end + 1];
  }
  const run = (belongs: (line: string) => boolean): readonly string[] => {
    const rest = lines.slice(at);
    const end = rest.findIndex((one) => !belongs(one));
    return end < 0 ? rest : rest.slice(0, end);
  };
  if (line.startsWith('|')) {
    const rows = run((one) => one.startsWith('|'));
    return [tableOf(rows, reading), at + rows.length];
  }
  const item = /^(?:[-*]|\d+\.) /u;
  if (item.test(line)) {
    const all = run((one) => item.test(one) || /^ {2,}\S/u.test(one));
    const items: string[] = [];
    for (const one of all) {
      if (item.test(one)) items.push(one.replace(item, ''));
      else items.push(`${items.pop() ?? ''} ${one.trim()}`);
    }
    const list = items.map((one) => inline(one, reading));
    return [{ kind: 'list', items: list, ordered: /^\d/u.test(line) }, at + all.length];
  }
  const paragraph = run((one) => one.trim() !== '' && !/^(?:#|```|\||[-*] |\d+\. )/u.test(one));
  const taken = Math.max(1, paragraph.length);
  return [{ kind: 'text', text: inline(lines.slice(at, at + taken).join(' '), reading) }, at + taken];
}

function tableOf(lines: readonly string[], reading: Reading): Block {
  const cells = (line: string): string[] =>
    line
      .replace(/^\|/u, '')
      .replace(/\|\s*$/u, '')
      .split(/(?<!\\)\|/u)
      .map((cell) => cell.replaceAll('\\|', '|').trim());
  const [head = '', ...rest] = lines;
  const rows = rest.filter((line) => !/^\|[\s:|-]+$/u.test(line));
  return {
    kind: 'table',
    about: cells(head).map(plain).join(', '),
    head: cells(head).map(plain),
    rows: rows.map((line) => cells(line).map((cell) => inline(cell, reading))),
  };
}

const INLINE = /`([^`]+)`|\[([^\]]+)\]\(([^()\s]+)\)|\*\*([^*]+)\*\*/gu;

function inline(text: string, reading: Reading): Text {
  const parts: Inline[] = [];
  let last = 0;
  for (const found of text.matchAll(INLINE)) {
    const [whole, code, words, href, strong] = found;
    if (found.index > last) parts.push(text.slice(last, found.index));
    last = found.index + whole.length;
    if (code !== undefined) {
      const page = reading.names.get(code);
      parts.push(page === undefined ? { code } : { page, text: code, code: true });
    } else if (words !== undefined && href !== undefined) parts.push(linked(plain(words), href, reading));
    else parts.push(strong ?? whole);
  }
  if (last < text.length) parts.push(text.slice(last));
  return parts;
}

function linked(text: string, href: string, { pageOf }: Reading): Inline {
  if (/^https?:\/\//u.test(href)) return { href, text };
  const [file = '', anchor] = href.split('#');
  const page = pageOf(file);
  // A link to a file that the site does not have stays readable as words.
  if (page === undefined) return text;
  return anchor === undefined ? { page, text } : { page, text, anchor: anchorOf(anchor) };
}

function plain(text: string): string {
  return text.replaceAll(/[`*]/gu, '').trim();
}

function withoutFrontMatter(markdown: string): { readonly text: string; readonly description: string } {
  const front = /^---\r?\n([\s\S]*?)\r?\n---\r?\n/u.exec(markdown);
  if (front === null) return { text: markdown, description: '' };
  const description = /^description: *(.*)$/mu.exec(front[1] ?? '')?.[1] ?? '';
  return { text: markdown.slice(front[0].length), description };
}
