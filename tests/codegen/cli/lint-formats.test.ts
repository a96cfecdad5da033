import assert from 'node:assert/strict';
import { edited } from '../support/contract-tree.ts';
import { inProject, run } from '../support-back/command.ts';
import type { Answer } from '../support-back/command.ts';
import { REPOSITORY } from '../support-back/workshop.ts';

/** One error whose text tries to break out of each format, one warning, one warning with a reason. */
const FILES = edited({
  'get_note:/description': 'Read one note of the project, as `lizt_notes` &<">, 100% and\u202e more do.',
  'list_notes:/description': 'List the notes of it all.',
  'create_note:/description': 'Make one note of it all.',
  'create_note:/suppress': [{ rule: 'desc-length', reason: 'A short "sentence" <says> all there is.' }],
});

const lintAs = (format: string): Promise<Answer> =>
  inProject((folder) => run(folder, 'lint', '--format', format), FILES);

describe('forms of lint findings', () => {
  it('are GitHub annotations on the files, one line each', async () => {
    const { code, out } = await lintAs('github');
    assert.equal(code, 1);
    const lines = out.trimEnd().split('\n');
    assert.ok(
      lines.every((line) => /^::(?:error|warning|notice) [^\n]*::/u.test(line)),
      out,
    );
    assert.match(out, /^::error file=schemas\/tools\/notes\/get_note\.yaml,line=\d+,col=\d+,title=xref-arg::/mu);
    assert.match(lines.at(-1) ?? '', /1 suppressed/u);
  });

  it('are SARIF with rules, places and reasons', async () => {
    const { out } = await lintAs('sarif');
    // because SARIF fixes this shape
    const sarif = JSON.parse(out) as {
      version: string;
      runs: {
        tool: { driver: { rules: { id: string }[] } };
        results: {
          ruleId: string;
          ruleIndex: number;
          level: string;
          locations: { physicalLocation: { artifactLocation: { uri: string } } }[];
          suppressions?: { justification: string }[];
        }[];
      }[];
    };
    assert.equal(sarif.version, '2.1.0');
    const [only] = sarif.runs;
    assert.ok(only);
    for (const { ruleId, ruleIndex } of only.results)
      assert.equal(only.tool.driver.rules[ruleIndex]?.id, ruleId, 'the index leads to the rule');
    const blocked = only.results.find(({ ruleId }) => ruleId === 'xref-arg');
    assert.equal(blocked?.level, 'error');
    assert.equal(blocked.locations[0]?.physicalLocation.artifactLocation.uri, 'schemas/tools/notes/get_note.yaml');
    assert.deepEqual(
      only.results.flatMap(({ suppressions = [] }) => suppressions.map(({ justification }) => justification)),
      ['A short "sentence" <says> all there is.'],
    );
  });

  it('are JUnit that stays well-formed whatever the contracts say', async () => {
    const { out } = await lintAs('junit');
    assert.match(out, /^<\?xml version="1\.0"/u);
    assert.match(out, /<failure type="xref-arg" message="/u);
    assert.match(out, /<skipped message="A short &quot;sentence&quot; &lt;says&gt; all there is\."\/>/u);
    const counted = /tests="(\d+)" failures="(\d+)" errors="0" skipped="1"/u.exec(out);
    assert.equal(out.match(/<testcase /gu)?.length, Number(counted?.[1]));
    assert.equal(out.match(/<failure /gu)?.length, Number(counted?.[2]));
    const bare = out.replaceAll(/"[^"<>]*"/gu, '""');
    assert.doesNotMatch(bare.replaceAll(/&(?:amp|lt|gt|quot|#39|#96);/gu, ''), /&/u);
  });

  it('list every rule with its level, its sentence and both fixtures', async () => {
    const { code, out } = await run(REPOSITORY, 'lint', '--rules', '--json');
    assert.equal(code, 0);
    // because the command prints this shape
    const { rules } = JSON.parse(out) as { rules: { id: string; when: string; breaks?: string[]; keeps?: string[] }[] };
    assert.ok(rules.length > 100);
    for (const { id, when, breaks, keeps } of rules)
      if (when === 'model') assert.ok((breaks?.length ?? 0) > 0 && (keeps?.length ?? 0) > 0, id);
  });

  it('fail the list when a rule lacks a fixture', async () => {
    await inProject(async (folder) => {
      const { code, out } = await run(folder, 'lint', '--rules', '--fixtures', 'schemas/server.yaml');
      assert.equal(code, 1);
      assert.match(out, /lacking: .*desc-length/u);
      assert.match((await run(folder, 'lint', '--rules')).out, /no fixtures here/u);
    });
  });
});
