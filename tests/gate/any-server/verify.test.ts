import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DiffReport } from '../../../codegen/diff/finding.ts';
import { inProject, run, type Answer } from '../../codegen/support-back/command.ts';
import { sharedServer } from '../../support/mcp.ts';
import { given, type World } from '../../support/given.ts';
import { realTree } from '../support/trees.ts';

describe('verify', function () {
  this.timeout(60_000);
  let url: string;
  let writer: World;
  let reader: World;

  before(async () => {
    const server = await sharedServer();
    url = `${server.origin}/api/mcp/`;
    writer = await given.project({ permissions: { read: true, write: true } });
    reader = await given.project({ permissions: { read: true, write: false } });
  });

  const verify = (folder: string, ...more: readonly string[]): Promise<Answer> =>
    run(folder, 'verify', '--url', url, '--format', 'json', ...more);
  const both = (): string[] => [
    '--grant',
    `project/read_write=X-Api-Key: ${writer.key}`,
    '--grant',
    `project/read=X-Api-Key: ${reader.key}`,
  ];
  const reportOf = ({ out }: Answer): DiffReport => JSON.parse(out);

  it('finds nothing between the product and its own contracts, for each grant and revision', async () => {
    const answer = await verify('.', ...both());
    assert.equal(answer.err, '');
    assert.deepEqual(reportOf(answer).findings, []);
    assert.equal(answer.code, 0);
  });

  it('reports every drift with the views that show it, and the other hash', async () => {
    const files = realTree();
    const path = 'tools/datasets/query_dataset.yaml';
    const text = String(files.get(path));
    files.set(path, text.replace(/^title: .*$/mu, 'title: Another title'));
    await inProject(async (folder) => {
      const answer = await verify(folder, ...both());
      assert.equal(answer.code, 1);
      const { findings, failed } = reportOf(answer);
      assert.equal(failed, true);
      assert.deepEqual(
        findings.map(({ rule, entity, views }) => [rule, entity, views]),
        [
          [
            'server-contract-differs',
            'server',
            [
              'project/read_write · 2026-07-28',
              'project/read_write · 2025-11-25',
              'project/read · 2026-07-28',
              'project/read · 2025-11-25',
            ],
          ],
          [
            'tool-title-changed',
            'tool query_dataset',
            [
              'project/read_write · 2026-07-28',
              'project/read_write · 2025-11-25',
              'project/read · 2026-07-28',
              'project/read · 2025-11-25',
            ],
          ],
        ],
      );
    }, files);
  });

  it('reports what a grant is not shown, in that grant alone', async () => {
    const answer = await verify(
      '.',
      '--grant',
      `project/read_write=X-Api-Key: ${reader.key}`,
      '--revision',
      '2026-07-28',
    );
    assert.equal(answer.code, 1);
    const { findings } = reportOf(answer);
    assert.ok(findings.some(({ rule, entity }) => rule.startsWith('tool-removed') && entity === 'tool run_dataset'));
    assert.ok(findings.every(({ views }) => views.join() === 'project/read_write · 2026-07-28'));
  });

  it('wants credentials named after the grants of the contract, and never prints one', async () => {
    for (const line of [`nobody=X-Api-Key: ${reader.key}`, `project/read=X-Api-Key ${reader.key}`]) {
      const { code, err } = await verify('.', '--grant', line);
      assert.equal(code, 2);
      assert.ok(!err.includes(reader.key));
    }
    const { code, err } = await verify('.', '--header', `X-Api-Key: ${reader.key}`);
    assert.equal(code, 2);
    assert.match(err, /Say whose credential it is: --grant 'name=Header: value', with one of account\/read, /u);
  });

  it('names the challenge when the credential is wrong', async () => {
    const { code, err } = await verify('.', '--grant', 'project/read=X-Api-Key: wrong');
    assert.equal(code, 2);
    assert.match(err, /wants a credential \(401, challenge “ApiKey realm=/u);
  });

  it('pulls a snapshot of the product that diff finds equal to another one', async () => {
    await inProject(async (folder) => {
      for (const name of ['one', 'two']) {
        const { code, err } = await run(folder, 'pull', url, ...both(), '--out', `${name}.json`);
        assert.equal(code, 0, err);
        assert.match(err, /2 grants, 2025-11-25 and 2026-07-28\.\n$/u);
      }
      assert.equal(readFileSync(join(folder, 'one.json'), 'utf8'), readFileSync(join(folder, 'two.json'), 'utf8'));
      assert.ok(!readFileSync(join(folder, 'one.json'), 'utf8').includes(writer.key));
      const { code, out } = await run(folder, 'diff', 'one.json..two.json');
      assert.match(out, /no findings/u);
      assert.equal(code, 0);
    });
  });

  it('compares servers by their addresses, on one side or on both, under the grants given', async () => {
    await inProject(async (folder) => {
      const same = await run(folder, 'diff', `${url}..${url}`, ...both());
      assert.equal(same.err, '');
      assert.match(same.out, /no findings/u);
      assert.equal(same.code, 0);
      const [narrow, wide] = [`project/read=X-Api-Key: ${reader.key}`, `project/read=X-Api-Key: ${writer.key}`];
      assert.equal((await run(folder, 'pull', url, '--grant', wide, '--out', 'wide.json')).code, 0);
      const shrunk = await run(folder, 'diff', `wide.json..${url}`, '--grant', narrow, '--format', 'json');
      const { findings } = reportOf(shrunk);
      assert.ok(findings.some(({ rule, entity }) => rule.startsWith('tool-removed') && entity === 'tool run_dataset'));
      assert.equal(shrunk.code, 1);
      const grown = await run(folder, 'diff', `${url}..wide.json`, '--grant', narrow, '--format', 'json');
      assert.ok(reportOf(grown).findings.some(({ rule }) => rule === 'tool-added'));
      assert.equal(grown.code, 0);
    });
  });

  it('holds the work tree against a deployed server, and says which server it could not read', async () => {
    const ours = await run('.', 'diff', '--against', url, '--header', `X-Api-Key: ${writer.key}`, '--format', 'json');
    assert.deepEqual(reportOf(ours).counts.breaking, 0, ours.out);
    assert.equal(ours.code, 0);
    const refused = await run('.', 'diff', '--against', url, '--header', 'X-Api-Key: wrong');
    assert.equal(refused.code, 2);
    assert.ok(refused.err.startsWith(`${url}: The server cannot be read. `), refused.err);
    assert.match(refused.err, /wants a credential \(401/u);
  });
});
