import { html as markup } from '../report/markup.ts';
import type { Markup } from '../report/markup.ts';
import { anchorOf } from './page.ts';
import type { Block, Inline, Page, Text } from './page.ts';
import { relativeTo } from './render-markdown.ts';

export interface Frame {
  /** Name of the server, shown in every title. */
  readonly site: string;
  readonly groups: readonly string[];
  readonly footer: string;
}

/** A whole page. It reads and navigates without JavaScript; the script adds the search. */
export function htmlPage(page: Page, { site, groups, footer }: Frame): string {
  const root = '../'.repeat(page.path.split('/').length - 1);
  const links = groups.map((group) => markup`<li><a href="${root}index.html#${anchorOf(group)}">${group}</a></li>`);
  const home =
    page.path === 'index' ? markup`<strong>${site}</strong>` : markup`<a href="${root}index.html">${site}</a>`;
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${page.summary}">
<title>${page.path === 'index' ? site : `${page.title} - ${site}`}</title>
<link rel="stylesheet" href="${root}style.css">
<script src="${root}search.js" data-root="${root}" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header>
<p class="home">${home}</p>
<nav aria-label="Sections"><ul>${links}</ul></nav>
<form role="search" id="search" hidden><label for="words">Search</label> <input id="words" type="search" autocomplete="off"><ul id="found" aria-live="polite"></ul></form>
</header>
<main id="content">
<p class="group">${page.group}</p>
<h1>${page.title}</h1>
${page.blocks.map((block) => blockHtml(block, page.path))}
</main>
<footer><p>${footer}</p></footer>
</body>
</html>
`.text;
}

function blockHtml(block: Block, from: string): Markup {
  switch (block.kind) {
    case 'heading': {
      const id = anchorOf(block.text);
      return block.level === 2
        ? markup`<h2 id="${id}">${block.text}</h2>\n`
        : markup`<h3 id="${id}">${block.text}</h3>\n`;
    }
    case 'text':
      return markup`<p>${textHtml(block.text, from)}</p>\n`;
    case 'list': {
      const items = block.items.map((item) => markup`<li>${textHtml(item, from)}</li>\n`);
      return block.ordered === true ? markup`<ol>${items}</ol>\n` : markup`<ul>${items}</ul>\n`;
    }
    case 'code': {
      const code = markup`<pre tabindex="0"><code>${block.text}</code></pre>\n`;
      if (block.folded === undefined) return code;
      return markup`<details><summary>${block.folded}</summary>\n${code}</details>\n`;
    }
    case 'table': {
      const head = block.head.map((cell) => markup`<th scope="col">${cell}</th>`);
      const rows = block.rows.map(
        (cells) => markup`<tr>${cells.map((cell) => markup`<td>${textHtml(cell, from)}</td>`)}</tr>\n`,
      );
      return markup`<div class="table" role="region" aria-label="${block.about}" tabindex="0"><table><thead><tr>${head}</tr></thead>
<tbody>${rows}</tbody></table></div>\n`;
    }
  }
}

function textHtml(text: Text, from: string): Markup[] {
  return text.map((part) => inlineHtml(part, from));
}

function inlineHtml(part: Inline, from: string): Markup {
  if (typeof part === 'string') return markup`${part}`;
  if ('href' in part) return markup`<a href="${part.href}">${part.text}</a>`;
  if ('page' in part) {
    const anchor = part.anchor === undefined ? '' : `#${part.anchor}`;
    const inner = part.code === true ? codeHtml(part.text) : markup`${part.text}`;
    return markup`<a href="${relativeTo(from, part.page)}.html${anchor}">${inner}</a>`;
  }
  return codeHtml(part.code);
}

/** A long name may break behind the joints of its words, and nowhere else. */
function codeHtml(code: string): Markup {
  const parts = code.split(/(?<=[_/.])/u);
  return markup`<code>${parts.map((part, at) => (at === 0 ? markup`${part}` : markup`<wbr>${part}`))}</code>`;
}
