import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { FORMATS, renderReport, type Format } from '../../../codegen/report/render.ts';
import { finding, FINDINGS, hostileReport, report } from './sample.ts';
import { SARIF_SHAPE } from './sarif-shape.ts';

const OPTIONS = { color: false, root: 'schemas' };

function render(format: Format, given = report(), options = OPTIONS): string {
  return renderReport(given, format, options);
}

function validate(schema: object, text: string): void {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  const check = ajv.compile(schema);
  assert.ok(check(JSON.parse(text)), JSON.stringify(check.errors, null, 2));
}

/** What XML 1.0 cannot hold. */
const NOT_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

describe('reports of the contract gate', () => {
  for (const format of FORMATS) {
    it(`tell every open finding in ${format}, and end with a line break`, () => {
      const text = render(format);
      for (const { rule } of FINDINGS.filter(({ approved }) => approved === undefined)) {
        assert.ok(text.includes(rule), `${rule} is missing`);
      }
      assert.ok(text.endsWith('\n'));
    });

    it(`show no character in ${format} that drives a terminal or hides from a reader`, () => {
      const text = render(format, hostileReport());
      const unseen = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/u.exec(text.replaceAll('\n', ''));
      assert.equal(unseen, null, `found U+${unseen?.[0].codePointAt(0)?.toString(16) ?? ''}`);
    });
  }

  describe('terminal', () => {
    it('paints only when told to', () => {
      assert.ok(!render('terminal').includes('\u001b'));
      assert.ok(render('terminal', report(), { ...OPTIONS, color: true }).includes('\u001b[31mbreaking\u001b[0m'));
    });

    it('names place, witness, views and what to do', () => {
      const text = render('terminal');
      assert.match(text, /schemas\/tools\/observability\/query_traces\.yaml:31:16/u);
      assert.match(text, /A call that the old contract accepts and the new one refuses: \{"limit":51\}/u);
      assert.match(text, /Seen in 2 views: account\/read · 2025-11-25; account\/read · 2026-07-28/u);
      assert.match(text, /Do: Send at most 50, or page\./u);
      assert.match(text, /only a minor bump; major is required: 2\.0\.0/u);
    });

    it('keeps a forged line inside its own line', () => {
      const lines = render('terminal', hostileReport()).split('\n');
      assert.deepEqual(
        lines.filter((line) => line.trimStart().startsWith('::')),
        [],
      );
    });
  });

  describe('json', () => {
    const schema: object = JSON.parse(readFileSync('skills/contributing/gate/report.schema.json', 'utf8'));

    it('is what its documented schema says', () => {
      validate(schema, render('json'));
      validate(schema, render('json', hostileReport()));
    });

    it('gives back the report, hostile words included', () => {
      const { format, ...rest } = JSON.parse(render('json', hostileReport()));
      assert.equal(format, 1);
      assert.deepEqual(rest, JSON.parse(JSON.stringify(hostileReport())));
    });
  });

  describe('sarif', () => {
    it('is SARIF 2.1.0 for quiet, usual and hostile reports', () => {
      for (const given of [report([]), report(), hostileReport()]) validate(SARIF_SHAPE, render('sarif', given));
    });

    it('maps verdicts to levels and approvals to suppressions', () => {
      const { results, tool } = JSON.parse(render('sarif')).runs[0];
      assert.deepEqual(
        results.map(({ level }: { level: string }) => level),
        ['error', 'error', 'warning', 'warning', 'note', 'error'],
      );
      assert.equal(results[5].suppressions[0].justification, 'drop_quota, platform: Quotas are gone.');
      assert.equal(tool.driver.rules[results[1].ruleIndex].id, 'hint-destructive-gained');
      assert.equal(
        results[0].locations[0].physicalLocation.artifactLocation.uri,
        'schemas/tools/observability/query_traces.yaml',
      );
    });
  });

  describe('junit', () => {
    it('fails what stops the merge, skips what is approved and passes the rest', () => {
      const text = render('junit');
      assert.match(text, /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<testsuites [^>]*tests="6" failures="2"/u);
      assert.equal(text.match(/<failure /gu)?.length, 2);
      assert.equal(text.match(/<skipped /gu)?.length, 1);
      assert.equal(text.match(/<system-out>/gu)?.length, 3);
      assert.match(render('junit', report([])), /tests="1" failures="0"/u);
    });

    it('stays XML whatever the words are', () => {
      const text = render('junit', hostileReport());
      assert.equal(NOT_XML.exec(text), null);
      const tags = [...text.matchAll(/<\/?([a-z-]+)/gu)].map(([, name = '']) => name);
      assert.deepEqual(
        [...new Set(tags)].toSorted((a, b) => (a < b ? -1 : 1)),
        ['failure', 'skipped', 'testcase', 'testsuite', 'testsuites'],
      );
      assert.equal(/&(?!amp;|lt;|gt;|quot;|apos;|#10;|#9;)/u.exec(text), null);
    });
  });

  describe('github', () => {
    it('annotates the file of each finding', () => {
      const lines = render('github').trimEnd().split('\n');
      assert.equal(
        lines[0]?.startsWith(
          '::error file=schemas/tools/observability/query_traces.yaml,line=31,col=16,title=breaking in-maximum-lowered%3A tool query_traces at /input',
        ),
        true,
        lines[0],
      );
      assert.deepEqual(
        lines.map((line) => line.split(' ')[0]),
        ['::error', '::error', '::warning', '::warning', '::notice', '::notice'],
      );
    });

    it('lets no word start a command of its own', () => {
      const lines = render('github', hostileReport()).trimEnd().split('\n');
      assert.equal(lines.length, 2);
      const property = '(?:file|line|col|title)=[^:,]*';
      const command = new RegExp(`^::(?:error|notice) ${property}(?:,${property})*::[^\\r\\n]*$`, 'u');
      for (const line of lines) assert.match(line, command);
    });
  });

  describe('markdown', () => {
    it('has a section for each verdict and tables for approvals and tokens', () => {
      const text = render('markdown');
      for (const heading of [
        '## Breaking (2)',
        '## Risky (1)',
        '## Not decided (1)',
        '## Notice (1)',
        '## Approved (1)',
        '## Tokens',
      ]) {
        assert.ok(text.includes(`\n${heading}\n`), heading);
      }
    });

    it('makes no link, mention, image or tag of hostile words', () => {
      const outside = render('markdown', hostileReport())
        .replaceAll(/^(`{3,})[^\n]*\n[\s\S]*?\n\1$/gmu, '')
        .replaceAll(/(?<!\\|`)(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/gu, '');
      assert.ok(!/<[a-z!/]/iu.test(outside), 'a tag');
      assert.ok(!/@[a-z]/iu.test(outside), 'a mention');
      assert.ok(!/https?:/iu.test(outside), 'an address');
      assert.ok(!/(?<!\\)\]\(/u.test(outside), 'a link');
      assert.ok(!/(?<!\\)\$\{\{/u.test(outside), 'an expression');
    });

    it('stays short enough for a comment', () => {
      const many = Array.from({ length: 400 }, (_, at) => finding({ fingerprint: String(at) }));
      const text = render('markdown', report(many));
      assert.ok(text.length < 65_536);
      assert.match(text, /\d+ more parts are in the full report\.\n$/u);
    });
  });
});
