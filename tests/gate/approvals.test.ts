import assert from 'node:assert/strict';
import type { DiffReport } from '../../codegen/diff/finding.ts';
import { Repository } from './support/repository.ts';

const LIMIT = 'tools/observability/query_traces.yaml';
const REASON = ['--reason', 'Pages are too large.', '--owner', 'platform team'];

const rules = ({ findings }: DiffReport): string[] =>
  findings.filter(({ verdict, approved }) => verdict === 'breaking' && approved === undefined).map(({ rule }) => rule);

function approval(entries: string, more = ''): string {
  return `kind: change\ndate: 2026-11-30\nreason: Because.\nowner: me\n${more}approves:\n${entries}\n`;
}

describe('approvals and baselines', function () {
  this.timeout(60_000);
  let repository: Repository;

  beforeEach(() => {
    repository = new Repository();
    repository.edit(LIMIT, 'maximum: 100, default: 20', 'maximum: 50, default: 20');
  });

  afterEach(() => repository.destroy());

  const fingerprint = async (): Promise<string> => {
    const { report } = await repository.diff('main');
    const [found] = report.findings.filter(({ rule }) => rule === 'in-maximum-lowered');
    assert.ok(found !== undefined);
    return found.fingerprint;
  };
  const write = (entries: string, more = ''): void => {
    repository.makeFolder('changes');
    repository.write('changes/2026-11-30-test.yaml', approval(entries, more));
  };

  it('are written for one finding by the start of its fingerprint', async () => {
    const print = await fingerprint();
    const answer = await repository.run('approve', 'main', '--finding', print.slice(0, 8), ...REASON);
    assert.match(answer.out, /changes\/2026-11-30-in-maximum-lowered\.yaml approves 1 finding\./u);
    const { code, report } = await repository.diff('main');
    assert.equal(code, 0);
    assert.equal(report.approved, 1);
  });

  it('fail when they have expired', async () => {
    const print = await fingerprint();
    write(
      `  - { rule: in-maximum-lowered, entity: tool query_traces, fingerprint: ${print} }`,
      'expires: 2026-11-29\n',
    );
    const { code, report } = await repository.diff('main');
    assert.equal(code, 1);
    assert.deepEqual(rules(report).sort(), ['approval-expired', 'in-maximum-lowered']);
  });

  it('fail when they name no finding, no rule or no fingerprint, or a pattern', async () => {
    const print = await fingerprint();
    write(
      [
        `  - { rule: in-maximum-lowered, entity: tool query_traces, fingerprint: ${print} }`,
        '  - { rule: in-minimum-raised, entity: tool query_traces, fingerprint: 0123456789abcdef0123456789abcdef }',
        '  - { rule: no-such-rule, entity: tool query_traces, fingerprint: 0123456789abcdef0123456789abcdef }',
        '  - { rule: in-maximum-lowered, entity: tool query_traces, fingerprint: short }',
        "  - { rule: '*', entity: tool query_traces, fingerprint: 0123456789abcdef0123456789abcdef }",
      ].join('\n'),
    );
    const { report } = await repository.diff('main');
    assert.deepEqual(rules(report).sort(), [
      'approval-malformed',
      'approval-malformed',
      'approval-too-broad',
      'approval-unused',
    ]);
  });

  it('are not unused when they were merged with their change', async () => {
    const print = await fingerprint();
    await repository.run('approve', 'main', '--finding', print, ...REASON);
    repository.commit('approved change');
    const { code, report } = await repository.diff('HEAD');
    assert.deepEqual(rules(report), []);
    assert.equal(code, 0);
  });

  it('miss a baseline until there is a release, and know one that was altered', async () => {
    const none = await repository.diff();
    assert.deepEqual(rules(none.report), ['baseline-missing']);
    assert.equal(none.code, 1);
    assert.equal((await repository.run('release', '1.0.0')).code, 0);
    assert.equal((await repository.diff()).code, 0);
    repository.edit('releases/1.0.0.json', '"maximum": 50', '"maximum": 60');
    const altered = await repository.diff();
    assert.ok(rules(altered.report).includes('baseline-tampered'));
  });

  it('settle with a release, which keeps older releases from asking again', async () => {
    repository.git('checkout', '-q', '--', '.');
    assert.equal((await repository.run('release', '1.0.0')).code, 0);
    repository.edit(LIMIT, 'maximum: 100, default: 20', 'maximum: 50, default: 20');
    const early = await repository.run('release', '1.0.0');
    assert.equal(early.code, 2);
    repository.edit('server.yaml', 'version: 1.0.0', 'version: 1.1.0');
    const refused = await repository.run('release', '1.1.0');
    assert.equal(refused.code, 1);
    assert.match(refused.out, /version-bump-too-small/u);
    repository.edit('server.yaml', 'version: 1.1.0', 'version: 2.0.0');
    assert.equal((await repository.run('approve', '--all', ...REASON)).code, 0);
    const released = await repository.run('release', '2.0.0');
    assert.equal(released.code, 0, released.out + released.err);
    assert.match(released.out, /settled and removed/u);
    const { code, report } = await repository.diff();
    assert.equal(code, 0, rules(report).join());
    repository.edit(LIMIT, 'maximum: 50, default: 20', 'maximum: 40, default: 20');
    assert.equal((await repository.diff()).code, 1);
  });

  it('hold a change against older releases that are still supported', async () => {
    repository.git('checkout', '-q', '--', '.');
    assert.equal((await repository.run('release', '1.0.0')).code, 0);
    repository.edit('server.yaml', 'version: 1.0.0', 'version: 2.0.0');
    repository.edit(LIMIT, 'maximum: 100, default: 20', 'maximum: 50, default: 20');
    const flags = ['--changelog', 'NEWS.md'];
    await repository.run('approve', '--all', ...REASON);
    assert.equal((await repository.run('release', '2.0.0', ...flags)).code, 0);
    // A release that forgot what it had approved breaks the callers of the one before.
    repository.edit('releases/2.0.0.json', /"approved": \[[^\]]*\]/u, '"approved": []');
    const { report } = await repository.diff();
    assert.deepEqual(rules(report).sort(), ['in-maximum-lowered', 'transitive-break']);
    const [broken] = report.findings.filter(({ rule }) => rule === 'in-maximum-lowered');
    assert.equal(broken?.baseline, 'release 1.0.0');
  });

  it('tell callers of a release what it brings', async () => {
    const { out } = await repository.run('changelog', 'main');
    assert.match(out, /^## 2\.0\.0 \(2026-11-30\)/u);
    assert.match(out, /### Breaking\n\n- \*\*tool query_traces\*\*: `limit`: maximum lowered \(100 → 50\)\./u);
  });

  it('refuse what cannot be read with a sentence and code 2', async () => {
    for (const argv of [
      ['diff', 'nowhere'],
      ['diff', './nowhere.json'],
      ['diff', '--schemas', 'none'],
    ]) {
      const { code, err } = await repository.run(...argv);
      assert.equal(code, 2, argv.join(' '));
      assert.match(err, /\.\n$/u);
    }
  });
});
