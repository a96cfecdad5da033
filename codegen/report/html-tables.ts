import type { DiffReport, EntityChange } from '../diff/finding.ts';
import type { JsonValue } from '../model/types.ts';
import { around, lineDiff, type Line } from './line-diff.ts';
import { html, type Markup } from './markup.ts';
import { approved, signed } from './reading.ts';

/** More lines than this per entity help nobody review. */
const LINES = 1500;

export function approvalsMarkup(report: DiffReport): Markup | undefined {
  const found = approved(report);
  if (found.length === 0) return undefined;
  const rows = found.map(
    (finding) =>
      html`<tr>
        <td><code>${finding.rule}</code></td>
        <td><code>${finding.entity}</code>${finding.path === '' ? '' : ' '}<code>${finding.path}</code></td>
        <td>${finding.approved?.change}: ${finding.approved?.reason}</td>
        <td>${finding.approved?.owner}</td>
        <td>${finding.approved?.expires ?? 'never'}</td>
      </tr> `,
  );
  return html`<section aria-labelledby="approved">
    <h2 id="approved">Approved</h2>
    <table>
      <caption>
        Breaks that somebody answers for
      </caption>
      <thead>
        <tr>
          <th scope="col">Rule</th>
          <th scope="col">Entity</th>
          <th scope="col">Approval</th>
          <th scope="col">Owner</th>
          <th scope="col">Expires</th>
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </section> `;
}

export function tokensMarkup({ tokens }: DiffReport): Markup | undefined {
  if (tokens.changes.length === 0) return undefined;
  const rows = tokens.changes.map(({ entity, before, after, segments }) => {
    const parts = Object.entries(segments)
      .filter(([, [was, is]]) => was !== is)
      .map(([segment, [was, is]]) => `${segment} ${signed(is - was)}`)
      .join(', ');
    return html`<tr>
      <th scope="row"><code>${entity}</code></th>
      <td class="number">${before}</td>
      <td class="number">${after}</td>
      <td class="number">${signed(after - before)}</td>
      <td>${parts}</td>
    </tr> `;
  });
  return html`<section aria-labelledby="tokens">
    <h2 id="tokens">Tokens</h2>
    <table>
      <caption>
        What a model reads in listings, ${tokens.before} before and ${tokens.after} after in total
      </caption>
      <thead>
        <tr>
          <th scope="col">Entity</th>
          <th scope="col" class="number">Before</th>
          <th scope="col" class="number">After</th>
          <th scope="col" class="number">Change</th>
          <th scope="col">Where</th>
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </section> `;
}

export function entitiesMarkup({ entities }: DiffReport): Markup | undefined {
  if (entities.length === 0) return undefined;
  return html`<section aria-labelledby="entities">
    <h2 id="entities">Before and after</h2>
    ${entities.map(entity)}
  </section> `;
}

function entity(change: EntityChange): Markup {
  const lines = lineDiff(linesOf(change.before), linesOf(change.after));
  const gone = lines.filter(({ kind }) => kind === 'gone').length;
  const fresh = lines.filter(({ kind }) => kind === 'new').length;
  const shown = around(lines, 3);
  const rest = shown.length - LINES;
  return html`<details>
    <summary>
      <h3><code>${change.entity}</code></h3>
      <span class="quiet">${state(change)}, ${gone} lines gone, ${fresh} lines new</span>
    </summary>
    <div class="inside">
      <pre class="diff">
${shown.slice(0, LINES).map(row)}${rest > 0 ? html`<span class="cut">${rest} more lines</span>` : undefined}</pre>
    </div>
  </details> `;
}

function state({ before, after }: EntityChange): string {
  if (before === undefined) return 'added';
  return after === undefined ? 'removed' : 'changed';
}

function linesOf(value: JsonValue | undefined): string[] {
  return value === undefined ? [] : JSON.stringify(value, null, 2).split('\n');
}

const SIGN = { same: ' ', gone: '-', new: '+' } as const;

function row(line: Line | undefined): Markup {
  if (line === undefined) return html`<span class="cut">…</span>`;
  return html`<span class="${line.kind}">${SIGN[line.kind]} ${line.text}</span>`;
}
