import type { Finding } from '../diff/finding.ts';
import { html, type Markup } from './markup.ts';
import { pieces, placeOf, witnessSentence } from './reading.ts';
import { pretty } from './text.ts';

/** One finding, open when it is one that stops a merge. */
export function findingMarkup(finding: Finding, root: string): Markup {
  const open = finding.verdict === 'breaking' || finding.security ? html` open` : undefined;
  return html`<details${open}>
<summary><h3><span class="tag ${finding.verdict}">${finding.rule}</span> <code>${finding.entity}</code>${path(finding)}</h3></summary>
<div class="inside">
<p>${prose(finding.message)}</p>
${marks(finding)}
${witness(finding)}
<dl>
${rows(finding, root).map(
  ([term, text]) =>
    html`<dt>${term}</dt>
      <dd>${text}</dd>`,
)}
</dl>
</div>
</details>
`;
}

function path({ path }: Finding): Markup | undefined {
  return path === '' ? undefined : html` <code class="quiet">${path}</code>`;
}

function marks({ security, cacheLag }: Finding): (Markup | undefined)[] {
  return [
    security
      ? html`<p><strong class="breaking">Security</strong>: somebody may reach or see more than was agreed.</p>`
      : undefined,
    cacheLag
      ? html`<p>
          <strong class="notice">Cache lag</strong>: clients that listed before cannot use it until they list again.
        </p>`
      : undefined,
  ];
}

function witness(finding: Finding): Markup | undefined {
  const sentence = witnessSentence(finding);
  if (sentence === undefined || finding.witness === undefined) return undefined;
  return html`<p>${sentence}:</p>
    <pre>${pretty(finding.witness.value)}</pre>`;
}

function rows(finding: Finding, root: string): (readonly [string, Markup | string])[] {
  const place = placeOf(finding, root);
  const { unknown, approved } = finding;
  const optional: (readonly [string, Markup | string | undefined])[] = [
    ['Before', finding.before === undefined ? undefined : html`<code>${pretty(finding.before, 2000)}</code>`],
    ['After', finding.after === undefined ? undefined : html`<code>${pretty(finding.after, 2000)}</code>`],
    [
      'Not decided',
      unknown === undefined
        ? undefined
        : html`<code>${unknown.keyword}</code> at <code>${unknown.path}</code>: ${unknown.reason}`,
    ],
    ['Now', finding.renamedTo === undefined ? undefined : html`seems to be <code>${finding.renamedTo}</code>`],
    ['Approved', approved === undefined ? undefined : `${approved.change}, ${approved.owner}: ${approved.reason}`],
    ['Used by', finding.uses.length === 0 ? undefined : list(finding.uses)],
    ['Views', finding.views.length === 0 ? undefined : list(finding.views)],
    ['Release', finding.baseline],
    ['Who is hurt', finding.sets.length === 0 ? undefined : finding.sets.join(', ')],
    ['Why', prose(finding.rationale)],
    ['What to do', prose(finding.migration)],
    ['Place', place === undefined ? undefined : html`<code>${`${place.file}:${place.line}`}</code>`],
    ['Fingerprint', html`<code>${finding.fingerprint}</code>`],
  ];
  return optional.flatMap(([term, text]) => (text === undefined || text === '' ? [] : [[term, text] as const]));
}

function list(items: readonly string[]): Markup {
  return html`${items.map((item, at) => html`${at === 0 ? '' : ', '}<code>${item}</code>`)}`;
}

function prose(sentence: string): Markup {
  return html`${pieces(sentence).map((piece, at) => (at % 2 === 1 ? html`<code>${piece}</code>` : piece))}`;
}
