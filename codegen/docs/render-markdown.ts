import { posix } from 'node:path';
import { visible } from '../report/text.ts';
import { anchorOf } from './page.ts';
import type { Block, Inline, Page, Text } from './page.ts';

export function markdownPage(page: Page, footer: string): string {
  const blocks = page.blocks.map((block) => blockText(block, page.path));
  return `# ${escaped(page.title)}\n\n${blocks.join('\n\n')}\n\n---\n\n${footer}\n`;
}

function blockText(block: Block, from: string): string {
  switch (block.kind) {
    case 'heading':
      return `${'#'.repeat(block.level)} ${escaped(block.text)}`;
    case 'text':
      return textOf(block.text, from);
    case 'list':
      return block.items
        .map((item, index) => `${block.ordered === true ? `${index + 1}.` : '-'} ${textOf(item, from)}`)
        .join('\n');
    case 'code': {
      const longest = Math.max(2, ...(block.text.match(/`+/gu) ?? []).map((run) => run.length));
      const fence = '`'.repeat(longest + 1);
      return `${fence}\n${visible(block.text)}\n${fence}`;
    }
    case 'table': {
      const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
      const cell = (text: Text): string => textOf(text, from).replaceAll('|', '\\|');
      const line = row(block.head.map(() => '---'));
      return [row(block.head.map(escaped)), line, ...block.rows.map((cells) => row(cells.map(cell)))].join('\n');
    }
  }
}

function textOf(text: Text, from: string): string {
  return text
    .map((part) => inlineText(part, from))
    .join('')
    .replaceAll(/\s*\n\s*/gu, ' ');
}

function inlineText(part: Inline, from: string): string {
  if (typeof part === 'string') return escaped(part);
  if ('href' in part) return `[${escaped(part.text)}](${part.href.replaceAll(/[()\s]/gu, encodeURIComponent)})`;
  if ('page' in part) {
    const words = part.code === true ? code(part.text) : escaped(part.text);
    const anchor = part.anchor === undefined ? '' : `#${anchorOf(part.anchor)}`;
    return `[${words}](${relativeTo(from, part.page)}.md${anchor})`;
  }
  return code(part.code);
}

export function relativeTo(from: string, to: string): string {
  return posix.relative(posix.dirname(from), to);
}

function code(text: string): string {
  return text.includes('`') ? `\`\` ${visible(text)} \`\`` : `\`${visible(text)}\``;
}

function escaped(text: string): string {
  return visible(text).replaceAll(/[\\*_[\]<>`]/gu, '\\$&');
}
