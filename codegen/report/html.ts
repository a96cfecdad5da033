import { createHash } from 'node:crypto';
import type { DiffReport, Finding, Side } from '../diff/finding.ts';
import { findingMarkup } from './html-finding.ts';
import { approvalsMarkup, entitiesMarkup, tokensMarkup } from './html-tables.ts';
import { html, trusted, type Markup } from './markup.ts';
import { open, outcomeSentence, tokensSentence, VERDICTS, versionSentence } from './reading.ts';
import type { RenderOptions } from './options.ts';
import { STYLE } from './style.ts';
import { plural } from './text.ts';

/**
 * A review page in one file: no script, no request, nothing that runs. Its policy allows this one style sheet by its
 * hash, so that even a mistake in escaping could load and run nothing.
 */
export function htmlReport(report: DiffReport, { root }: RenderOptions): string {
  const hash = createHash('sha256').update(STYLE).digest('base64');
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'`;
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="no-referrer" />
        <link rel="icon" href="data:," />
        <title>Contract changes: ${report.before.label} to ${report.after.label}</title>
        ${trusted(`<style>${STYLE}</style>`)}
      </head>
      <body>
        <a class="skip" href="#findings">Skip to the findings</a>
        ${heading(report)} ${contents(report)}
        <main id="findings">
          ${groups(report, root)} ${approvalsMarkup(report)} ${tokensMarkup(report)} ${entitiesMarkup(report)}
        </main>
        <footer>Made by mcp-contract. ${side('Before', report.before)} ${side('After', report.after)}</footer>
      </body>
    </html> `;
  return `${page.text.trimEnd()}\n`;
}

function heading(report: DiffReport): Markup {
  const counts = VERDICTS.filter((verdict) => report.counts[verdict] > 0).map(
    (verdict) => html`<li><span class="tag ${verdict}">${report.counts[verdict]}</span> ${name(verdict)}</li>`,
  );
  const approved =
    report.approved > 0 ? html`<li><span class="tag">${report.approved}</span> approved</li>` : undefined;
  return html`<header>
    <h1>Contract changes: <code>${report.before.label}</code> to <code>${report.after.label}</code></h1>
    <p class="outcome${report.failed ? ' failed' : ''}">${outcomeSentence(report)}</p>
    ${
      report.findings.length === 0
        ? undefined
        : html`<ul class="counts">
            ${counts}${approved}
          </ul>`
    }
    <p>
      ${versionSentence(report)} ${tokensSentence(report)} Fails on
      ${report.failOn}${report.failOn === 'breaking' ? '' : ' or worse'}.
    </p>
  </header>`;
}

function contents(report: DiffReport): Markup | undefined {
  const links: (readonly [id: string, text: string])[] = VERDICTS.filter((verdict) => report.counts[verdict] > 0).map(
    (verdict) => [verdict, `${name(verdict)} (${report.counts[verdict]})`],
  );
  if (report.approved > 0) links.push(['approved', `approved (${report.approved})`]);
  if (report.tokens.changes.length > 0) links.push(['tokens', 'tokens']);
  if (report.entities.length > 0) links.push(['entities', `before and after (${report.entities.length})`]);
  if (links.length === 0) return undefined;
  return html`<nav aria-label="Contents">
    <ul>
      ${links.map(([id, text]) => html`<li><a href="#${id}">${text}</a></li>`)}
    </ul>
  </nav>`;
}

function groups(report: DiffReport, root: string): Markup | undefined {
  const groups = VERDICTS.flatMap((verdict) => {
    const findings = open(report).filter((finding) => finding.verdict === verdict);
    return findings.length === 0 ? [] : [group(verdict, findings, root)];
  });
  if (groups.length === 0) return report.approved > 0 ? undefined : html`<p>There is nothing to review.</p>`;
  return html`${groups}`;
}

function group(verdict: Finding['verdict'], findings: readonly Finding[], root: string): Markup {
  return html`<section aria-labelledby="${verdict}">
    <h2 id="${verdict}"><span class="${verdict}">${name(verdict)}</span>: ${plural(findings.length, 'finding')}</h2>
    ${findings.map((finding) => findingMarkup(finding, root))}
  </section> `;
}

function name(verdict: Finding['verdict']): string {
  return verdict === 'unknown' ? 'not decided' : verdict;
}

function side(label: string, one: Side): Markup {
  return html`${label}: ${one.label}, version ${one.version}, read from ${one.origin}, digest
    <code>${one.digest}</code>.`;
}
