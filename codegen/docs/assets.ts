/** Style sheet and script of the site. Both schemes keep text at 4.5:1 or better on every ground. */
export const STYLE = `:root {
  color-scheme: light dark;
  --ground: #ffffff; --raised: #f4f6f8; --line: #c8ced6; --text: #1a1e23; --quiet: #4b545f; --link: #0a58a8;
}
@media (prefers-color-scheme: dark) {
  :root { --ground: #13161a; --raised: #1c2025; --line: #414953; --text: #e8eaee; --quiet: #b1b9c3; --link: #8ec3ff; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.6 system-ui, sans-serif; overflow-wrap: anywhere; }
header, main, footer { max-width: 62rem; margin: 0 auto; padding: 0 1rem; }
header { border-bottom: 1px solid var(--line); padding-top: .75rem; padding-bottom: .75rem; }
header .home { margin: 0; font-weight: 600; }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1rem; list-style: none; margin: .25rem 0; padding: 0; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0 0 1rem; }
h2 { font-size: 1.25rem; margin: 2rem 0 .5rem; border-bottom: 1px solid var(--line); padding-bottom: .25rem; }
h3 { font-size: 1.05rem; margin: 1.25rem 0 .25rem; }
.group { color: var(--quiet); margin: 1.5rem 0 0; }
a { color: var(--link); }
a:focus-visible, input:focus-visible, [tabindex]:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
code, pre { font-family: ui-monospace, SFMono-Regular, Consolas, monospace; font-size: .875em; }
summary { cursor: pointer; color: var(--link); padding: .25rem 0; }
summary:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
pre { white-space: pre-wrap; background: var(--raised); border: 1px solid var(--line); border-radius: 6px; padding: .6rem .75rem; }
.table { overflow-x: auto; margin: .75rem 0; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .35rem .6rem; border-bottom: 1px solid var(--line); min-width: 4rem; overflow-wrap: break-word; }
th { background: var(--raised); overflow-wrap: normal; }
td a[href^="https:"] { overflow-wrap: anywhere; }
td:last-child { min-width: 12rem; }
.skip { position: absolute; left: -999px; }
.skip:focus { left: 1rem; top: .5rem; background: var(--ground); padding: .25rem .5rem; }
#search { position: relative; margin-top: .5rem; }
#search[hidden] { display: none; }
#words { font: inherit; width: min(100%, 24rem); padding: .3rem .5rem; color: var(--text); background: var(--ground); border: 1px solid var(--quiet); border-radius: 6px; }
#found { list-style: none; margin: .25rem 0 0; padding: 0; }
#found li { padding: .25rem 0; }
footer { color: var(--quiet); padding: 2rem 1rem 3rem; }
@media print { header, .skip { display: none; } }
`;

export interface Entry {
  readonly path: string;
  readonly title: string;
  readonly group: string;
  readonly summary: string;
  readonly words: string;
}

/** The index stands in the script, because a page opened from disk may fetch nothing. */
export function searchScript(entries: readonly Entry[]): string {
  const index = JSON.stringify(
    entries.map(({ path, title, group, summary, words }) => [path, title, group, summary, words]),
  );
  return `'use strict';
const INDEX = ${index};
const root = document.currentScript.dataset.root;
const form = document.getElementById('search');
const words = document.getElementById('words');
const found = document.getElementById('found');
form.hidden = false;
form.addEventListener('submit', (event) => {
  event.preventDefault();
  const first = found.querySelector('a');
  if (first !== null) location.href = first.href;
});
words.addEventListener('input', () => {
  const terms = words.value.toLowerCase().split(/\\s+/).filter(Boolean);
  found.replaceChildren();
  if (terms.length === 0) return;
  const scored = [];
  for (const [path, title, group, summary, text] of INDEX) {
    const name = (title + ' ' + path).toLowerCase();
    let score = 0;
    for (const term of terms) {
      const inName = name.includes(term);
      if (!inName && !text.includes(term)) { score = -1; break; }
      score += inName ? 10 : 1;
    }
    if (score > 0) scored.push([score, path, title, group, summary]);
  }
  scored.sort((a, b) => b[0] - a[0] || (a[1] < b[1] ? -1 : 1));
  for (const [, path, title, group, summary] of scored.slice(0, 12)) {
    const item = document.createElement('li');
    const link = document.createElement('a');
    link.href = root + path + '.html';
    link.textContent = title;
    item.append(link, ' ' + group + '. ' + summary);
    found.append(item);
  }
  if (scored.length === 0) {
    const item = document.createElement('li');
    item.textContent = 'Nothing found.';
    found.append(item);
  }
});
`;
}
