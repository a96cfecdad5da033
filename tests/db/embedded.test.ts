import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { connect } from '../../src/db/connect.ts';
import { startEmbedded, type EmbeddedDatabase } from '../../src/db/embedded.ts';
import { findBinaries } from '../../src/db/embedded-binaries.ts';
import { eventually } from '../support/eventually.ts';

interface User {
  readonly process: ChildProcess;
  /** The next line the process prints. */
  read(): Promise<Record<string, unknown>>;
}

describe('the embedded database', function () {
  this.timeout(60_000);
  const folders: string[] = [];
  const users: User[] = [];
  const entered: EmbeddedDatabase[] = [];

  const makeFolder = (): string => {
    const folder = mkdtempSync(join(tmpdir(), 'embedded-'));
    folders.push(folder);
    return folder;
  };
  const startUser = (folder: string, name: string): User => {
    const child = spawn(
      process.execPath,
      ['--import', 'tsx', join(import.meta.dirname, 'support/embedded-user.ts'), folder, name],
      { stdio: ['pipe', 'pipe', 'inherit'] },
    );
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const user: User = {
      process: child,
      read: async () => {
        const line = await lines.next();
        assert.equal(line.done, false, `process ${name} ended early`);
        // because the process prints JSON objects only
        return JSON.parse(String(line.value)) as Record<string, unknown>;
      },
    };
    users.push(user);
    return user;
  };
  /** Without the cost of durability, which only one of these tests is about. */
  const enter = async (
    folder: string,
    settings: Record<string, string> = { fsync: 'off' },
  ): Promise<EmbeddedDatabase> => {
    const embedded = await startEmbedded({ folder, settings });
    entered.push(embedded);
    return embedded;
  };
  const serverPid = (folder: string): number =>
    Number(readFileSync(join(folder, 'data/postmaster.pid'), 'utf8').split('\n', 1)[0]);
  const written = async (embedded: EmbeddedDatabase): Promise<string[]> => {
    const db = connect(embedded.address, { applicationName: 'reader' });
    const result = await db.raw<{ rows: { name: string }[] }>('select name from written order by name');
    await db.destroy();
    return result.rows.map((row) => row.name);
  };

  afterEach(async () => {
    for (const user of users.splice(0)) user.process.kill('SIGKILL');
    for (const embedded of entered.splice(0)) await embedded.leave();
    for (const folder of folders.splice(0)) {
      try {
        process.kill(serverPid(folder), 'SIGQUIT');
      } catch {
        // It is down.
      }
      await eventually(() => rmSync(folder, { recursive: true, force: true }));
    }
  });

  it('is started by one of several processes and shared by all, without losing a row', async () => {
    const folder = makeFolder();
    const starters = ['a', 'b', 'c'].map((name) => startUser(folder, name));
    const answers = await Promise.all(starters.map((user) => user.read()));
    assert.equal(answers.filter((answer) => answer['adopted'] === false).length, 1);

    // Whoever leaves last stops it, the starter or not.
    const stopped: unknown[] = [];
    for (const user of starters) {
      user.process.stdin?.write('leave\n');
      stopped.push((await user.read())['stopped']);
    }
    assert.deepEqual(stopped, [false, false, true]);

    const again = await enter(folder);
    assert.equal(again.adopted, false);
    assert.deepEqual(await written(again), ['a', 'b', 'c']);
    assert.equal(await again.leave(), true);
  });

  it('survives the kill of its process and is adopted by the next', async () => {
    const folder = makeFolder();
    const user = startUser(folder, 'killed');
    await user.read();
    user.process.kill('SIGKILL');
    await eventually(() => assert.notEqual(user.process.signalCode, null));
    const next = await enter(folder);
    assert.equal(next.adopted, true);
    assert.deepEqual(await written(next), ['killed']);
    assert.equal(await next.leave(), true);
  });

  it('comes back by itself with everything committed when the server is killed under a living process', async () => {
    const folder = makeFolder();
    const embedded = await enter(folder);
    const db = connect(embedded.address, { applicationName: 'living' });
    await db.raw('create table written (name text not null)');
    await db.raw(`insert into written values ('before')`);
    process.kill(serverPid(folder), 'SIGKILL');
    await eventually(async () => db.raw(`insert into written values ('after')`), { withinMs: 20_000, everyMs: 100 });
    // A server process that outlived its parent for a moment may have taken the write; the restarted server has it too.
    await eventually(async () => assert.deepEqual(await written(embedded), ['after', 'before']), {
      withinMs: 20_000,
      everyMs: 100,
    });
    await db.destroy();
    assert.equal(await embedded.leave(), true);
  });

  it('starts over what a killed first start left behind', async () => {
    const folder = makeFolder();
    const user = startUser(folder, 'first');
    const fresh = `data.new-${user.process.pid}`;
    await eventually(() => assert.ok(readdirSync(folder).includes(fresh)), { withinMs: 20_000, everyMs: 2 });
    user.process.kill('SIGKILL');
    await eventually(() => assert.notEqual(user.process.signalCode, null));
    const embedded = await enter(folder);
    assert.equal(embedded.adopted, false);
    assert.ok(!readdirSync(folder).includes(fresh));
    await embedded.leave();
  });

  it('is durable, reachable by its owner only, and silent about what is stored', async () => {
    const folder = makeFolder();
    const embedded = await enter(folder, {});
    const db = connect(embedded.address, { applicationName: 'reader' });
    const settings = await db.raw<{ rows: { name: string; setting: string }[] }>(
      `select name, setting from pg_settings
       where name in ('fsync', 'full_page_writes', 'synchronous_commit', 'listen_addresses') order by name`,
    );
    assert.deepEqual(
      settings.rows.map((row) => row.setting),
      ['on', 'on', '', 'on'],
    );
    await assert.rejects(async () => db.raw(`select 'the secret'::int`));
    await db.destroy();
    assert.ok('socketFolder' in embedded.address);
    assert.equal(statSync(embedded.address.socketFolder).mode & 0o777, 0o700);
    await embedded.leave();
    assert.doesNotMatch(readFileSync(join(folder, 'postgres.log'), 'utf8'), /select 'the secret'/);
  });

  it('breaks the start lock of a process that is gone', async () => {
    const folder = makeFolder();
    const gone = spawn(process.execPath, ['--eval', '']);
    await new Promise((resolve) => gone.once('exit', resolve));
    writeFileSync(join(folder, 'start.lock'), String(gone.pid));
    const embedded = await enter(folder);
    await embedded.leave();
  });

  it('says what to do when the data is of another version or the machine has no build', async () => {
    const folder = makeFolder();
    const embedded = await enter(folder);
    await embedded.leave();
    writeFileSync(join(folder, 'data/PG_VERSION'), '9\n');
    await assert.rejects(startEmbedded({ folder }), /another major version of PostgreSQL/);
    assert.throws(() => findBinaries('plan9', 'mips'), /set DATABASE_URL to a PostgreSQL 15 or newer/);
  });

  it('refuses to start when the data cannot be created, and names the folder', async () => {
    const folder = makeFolder();
    mkdirSync(join(folder, 'data'));
    await assert.rejects(startEmbedded({ folder }), /The embedded database did not start \(log: .*postgres\.log\)/);
  });
});
