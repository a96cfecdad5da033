import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CuttingProxy } from '../support/cutting-proxy.ts';
import { eventually } from '../support/eventually.ts';
import { freshDatabase } from '../support/boot.ts';
import { ModelServer, says, status } from '../support/fakes/model-server.ts';
import { given, type World } from '../support/given.ts';
import { startServer } from '../support/mcp.ts';
import { overmind, start } from './support/run.ts';

const MIB = 1024 * 1024;

describe('overmind dataset', () => {
  let folder: string;
  let world: World;
  let settings: Record<string, string>;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'overmind-cli-'));
    world = await given.project();
    world.work();
    settings = {
      OVERMIND_URL: world.server.origin,
      OVERMIND_API_KEY: world.key,
      HOME: folder,
      XDG_STATE_HOME: join(folder, 'state'),
    };
  });

  after(() => rm(folder, { recursive: true, force: true }));

  it('sends a file over a connection that is cut twice, shows its types, and stores the same rows again', async () => {
    const rows = Array.from({ length: 4_500 }, (_, index) => ({
      input: `question ${index} ${'x'.repeat(1_000)}`,
      expected_output: index % 3 === 0 ? 'yes' : 'no',
      weight: index / 4,
    }));
    const path = join(folder, 'rows.jsonl');
    await writeFile(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const proxy = await CuttingProxy.start(Number(new URL(world.server.origin).port), [MIB, 2 * MIB]);
    const sent = await overmind(['dataset', 'upload', path, '--name', 'questions', '--intent', 'eval'], {
      ...settings,
      OVERMIND_URL: proxy.origin,
    });
    assert.equal(sent.code, 0, sent.stderr);
    assert.equal(proxy.cuts, 2);
    await proxy.stop();
    assert.match(sent.stdout, /^questions {2}[0-9a-f-]{36}\nidle, for eval\n/);
    assert.match(sent.stdout, /expected_output +VARCHAR +0 %/);
    assert.match(sent.stdout, /weight +DOUBLE +0 %/);

    const counted = await overmind(
      ['dataset', 'query', 'questions', 'SELECT count(*)::INT AS n FROM t', '--json'],
      settings,
    );
    assert.deepEqual(JSON.parse(counted.stdout).rows, [{ n: 4_500 }]);

    const out = join(folder, 'back.jsonl');
    const stored = await overmind(['dataset', 'export', 'questions', '--output', out, '--json'], settings);
    assert.equal(stored.code, 0, stored.stderr);
    const { rows: n, version, path: where } = JSON.parse(stored.stdout);
    assert.deepEqual({ n, version, where }, { n: 4_500, version: '1.0', where: out });
    const lines = (await readFile(out, 'utf8')).trimEnd().split('\n');
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)),
      rows,
    );

    const piped = await overmind(['dataset', 'export', 'questions', '--output', '-'], settings);
    assert.deepEqual([piped.code, piped.stdout], [2, '']);
    const again = await overmind(['dataset', 'export', 'questions', '--output', out], settings);
    assert.equal(again.code, 2);
    assert.match(again.stderr, /exists and is left as it is; name another file with --output/);
  });

  it('goes on with the upload of a command that was killed, and makes one dataset of it', async () => {
    const path = join(folder, 'long.csv');
    const line = `question,${'y'.repeat(1_000)}\n`;
    await writeFile(path, `input,expected_output\n${line.repeat(9_000)}`);
    const notes = join(folder, 'state/overmind/uploads');
    const before = await readdir(notes).catch((): string[] => []);
    const proxy = await CuttingProxy.start(Number(new URL(world.server.origin).port), []);
    // The first piece arrives, the second hangs: that is where the command is killed.
    proxy.holdsAfter = 6 * MIB;
    const throughProxy = { ...settings, OVERMIND_URL: proxy.origin };
    const killed = start(['dataset', 'upload', path, '--no-wait'], throughProxy);
    const id = await eventually(async () => {
      const [note = assert.fail('nothing is noted yet')] = (await readdir(notes)).filter(
        (name) => !before.includes(name),
      );
      return (await readFile(join(notes, note), 'utf8')).trim() || assert.fail('the note is empty');
    });
    const parameters = { project_id: world.project.id, upload_id: id };
    const state = () => world.client().get_upload({ parameters });
    await eventually(async () => assert.ok((await state()).received_bytes > 0, 'nothing has arrived yet'));
    killed.kill('SIGKILL');
    assert.equal((await state()).complete, false);
    proxy.holdsAfter = Number.POSITIVE_INFINITY;
    const again = await overmind(['dataset', 'upload', path, '--json'], throughProxy);
    await proxy.stop();
    assert.equal(again.code, 0, again.stderr);
    assert.equal((await world.client().get_upload({ parameters })).complete, true);
    assert.deepEqual(
      JSON.parse(again.stdout).details.map(({ name, cells }: { name: string; cells: { rows: number }[] }) => [
        name,
        cells[0]?.rows,
      ]),
      [['long', 9_000]],
    );
    assert.deepEqual(await readdir(notes), before, 'what was made needs no note');
  });

  it('makes one dataset of a request that is sent twice, and refuses another under its key', async () => {
    const { uploads } = await completeUpload(world);
    const request = {
      parameters: { project_id: world.project.id },
      body: { name: 'twice', uploads, request_key: 'the same' },
    };
    const client = world.client();
    const [one, other] = [await client.create_dataset(request), await client.create_dataset(request)];
    assert.equal(one.dataset.id, other.dataset.id);
    const changed = { ...request, body: { ...request.body, name: 'thrice' } };
    await assert.rejects(client.create_dataset(changed), { code: 'request_conflict' });
    const listed = await overmind(['dataset', 'list', '--json'], settings);
    const names: string[] = JSON.parse(listed.stdout).map(({ name }: { name: string }) => name);
    assert.deepEqual(
      names.filter((name) => ['twice', 'thrice'].includes(name)),
      ['twice'],
    );
  });

  it('keeps a line for each dataset, whatever its name holds', async () => {
    const name = 'two\nlines\tand \u001b[31mred';
    const client = world.client();
    const { uploads } = await completeUpload(world);
    await client.create_dataset({ parameters: { project_id: world.project.id }, body: { name, uploads } });
    const { stdout } = await overmind(['dataset', 'list'], settings);
    assert.ok(
      stdout.split('\n').some((line) => line.endsWith('two lines and \ufffd[31mred')),
      stdout,
    );
  });

  it('ends with 1 when the agent comes to no answer, and says why', async () => {
    const model = await ModelServer.start();
    const server = await startServer({
      database: await freshDatabase(),
      environment: {
        MODEL_PROVIDER_URL: model.url,
        MODEL_PROVIDER_MODEL: 'some-model',
        MODEL_PROVIDER_API_KEY: 'sk-provider-0123456789abcdef',
      },
    });
    const asked = await given.project({ server });
    asked.work();
    const theirs = { ...settings, OVERMIND_URL: server.origin, OVERMIND_API_KEY: asked.key };
    const path = join(folder, 'asked.csv');
    await writeFile(path, 'input,output\na,b\n');
    const sent = await overmind(['dataset', 'upload', path, '--name', 'asked', '--json'], theirs);
    const { summary, dataset, job } = JSON.parse(sent.stdout);
    assert.deepEqual([dataset.state, job.status], ['idle', 'idle']);
    assert.doesNotMatch(summary, /landing/);
    model.will(status(401));
    const denied = await overmind(['dataset', 'message', 'asked', 'hello', '--yes'], theirs);
    assert.deepEqual([denied.code, /refuses the credential/.test(denied.stderr)], [1, true], denied.stderr);
    model.will(says('All is well.'));
    const answered = await overmind(['dataset', 'message', 'asked', 'hello', '--yes'], theirs);
    assert.equal(answered.code, 0, answered.stderr);
    await model.stop();
  });

  it('tells its version without a key', async () => {
    const { code, stdout } = await overmind(['--version'], {});
    assert.deepEqual([code, /^\d+\.\d+\.\d+\n$/.test(stdout)], [0, true], stdout);
  });

  it('says what to write instead, with the code for it', async () => {
    const { OVERMIND_API_KEY: key = '', ...rest } = settings;
    const cases: readonly [readonly string[], Record<string, string>, number, RegExp][] = [
      [['dataset', 'list'], rest, 2, /Set OVERMIND_API_KEY, or name a file that holds one with --key-file/],
      [['dataset', 'list'], { ...settings, OVERMIND_API_KEY: `${key.slice(0, -4)}AAAA` }, 1, /authentication_failed/],
      [['dataset', 'show', 'nothing of that name'], settings, 1, /dataset_not_found/],
      [['dataset', 'list', '--url', 'http://127.0.0.1:9'], settings, 3, /cannot be reached/],
      [['dataset', 'upload', join(folder, 'none.csv')], settings, 2, /is no file that can be read/],
      [['dataset', 'upload', ...Array<string>(101).fill('rows.csv')], settings, 2, /at most 100 files/],
      [['dataset', 'message', 'questions', 'hello'], settings, 2, /say so with --yes/],
    ];
    const runs = await Promise.all(cases.map(([args, environment]) => overmind(args, environment)));
    for (const [index, run] of runs.entries()) {
      const [args, , code, message] = cases[index] ?? assert.fail();
      assert.equal(run.code, code, `${args.join(' ')}: ${run.stderr}`);
      assert.match(run.stderr, message);
    }
  });
});

/** A complete upload that nothing was made of yet. */
async function completeUpload(world: World): Promise<{ uploads: string[] }> {
  const client = world.client();
  const bytes = Buffer.from('input,expected_output\nc,d\n');
  const parameters = { project_id: world.project.id };
  const { id } = await client.begin_upload({ parameters, body: { file_name: 'one.csv', size_bytes: bytes.length } });
  await client.put_upload_chunk({
    parameters: { ...parameters, upload_id: id, offset: '0' },
    body: { contentType: 'application/octet-stream', bytes },
  });
  return { uploads: [id] };
}
