import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { connect, type DatabaseAddress } from '../../../src/db/connect.ts';
import type { Db } from '../../../src/db/database.ts';
import { eventually } from '../../support/eventually.ts';
import { emptyFolder, OvermindProcess, serve } from '../../support/process.ts';
import { embeddedIn, ownPostgres, type DatabaseKind, type MortalDatabase } from './kill-database.ts';

export type Role = 'server' | 'worker';

/** One process of the installation; its log says which jobs it has in hand. */
export class Member {
  readonly role: Role;
  readonly process: OvermindProcess;
  /** Of a server. */
  readonly origin: string | undefined;
  readonly inHand = new Set<string>();
  isStalled = false;
  #rest = '';

  constructor(role: Role, process: OvermindProcess, origin?: string) {
    this.role = role;
    this.process = process;
    this.origin = origin;
    process.child.stderr?.on('data', (text: string) => this.#read(text));
  }

  #read(text: string): void {
    const lines = `${this.#rest}${text}`.split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      if (!line.includes('"job starts"') && !line.includes('"job attempt ends"')) continue;
      // because the product writes its log as one object a line
      const { message, job } = JSON.parse(line) as { message: string; job: string };
      if (message === 'job starts') this.inHand.add(job);
      else this.inHand.delete(job);
    }
  }
}

/** Two servers, each with a worker inside, and two workers of their own, on one database that can be killed. */
export class Installation {
  readonly folder: string;
  readonly database: MortalDatabase;
  readonly key: string;
  readonly projectId: string;
  #members: Member[] = [];
  readonly #environment: Readonly<Record<string, string>>;
  readonly #all: OvermindProcess[] = [];
  #db: Db | undefined;
  #starting: Promise<void>[] = [];

  static async start(kind: DatabaseKind): Promise<Installation> {
    const folder = await emptyFolder();
    const database = kind === 'embedded' ? embeddedIn(folder) : await ownPostgres();
    const environment = {
      DATA_DIR: folder,
      LOG_LEVEL: 'info',
      RATE_LIMIT_REQUESTS: '0',
      DATABASE_POOL_MAX: '8',
      ...database.environment,
    };
    const first = await serve(environment);
    const made = first.ready.first_run ?? assert.fail('no key was made');
    const one = new Installation({ folder, database, key: made.key, projectId: made.project_id, environment });
    one.#join(new Member('server', first.process, first.origin));
    await Promise.all([one.#begin('server'), one.#begin('worker'), one.#begin('worker')]);
    return one;
  }

  private constructor(parts: {
    readonly folder: string;
    readonly database: MortalDatabase;
    readonly key: string;
    readonly projectId: string;
    readonly environment: Readonly<Record<string, string>>;
  }) {
    this.folder = parts.folder;
    this.database = parts.database;
    this.key = parts.key;
    this.projectId = parts.projectId;
    this.#environment = parts.environment;
  }

  /** Whoever is there and awake. */
  alive(role?: Role): readonly Member[] {
    return this.#members.filter((member) => !member.isStalled && (role === undefined || member.role === role));
  }

  origins(): readonly string[] {
    return this.#members.flatMap(({ origin }) => origin ?? []);
  }

  /** Kills the process and starts another in its place, which this does not wait for. */
  async kill(member: Member): Promise<void> {
    this.#members = this.#members.filter((other) => other !== member);
    await member.process.stop('SIGKILL');
    this.#starting.push(this.#begin(member.role));
  }

  /** Stops the process for longer than a lease and lets it go on. */
  async stall(member: Member, ms: number): Promise<void> {
    member.isStalled = true;
    member.process.child.kill('SIGSTOP');
    await wait(ms);
    member.process.child.kill('SIGCONT');
    member.isStalled = false;
  }

  /** What its processes, dead ones too, have called errors. */
  faults(): string {
    const lines = this.#all.flatMap(({ stderr }) => stderr.split('\n'));
    return lines
      .filter((line) => line !== '' && (!line.startsWith('{') || line.includes('"level":"error"')))
      .slice(-30)
      .join('\n');
  }

  /** All four are there again. */
  async complete(): Promise<void> {
    await Promise.all(this.#starting.splice(0));
  }

  /** Asks the database until it answers. */
  look<T>(sql: string, bindings: readonly string[] = []): Promise<readonly T[]> {
    return eventually(
      async () => {
        this.#db ??= connect(this.address, { applicationName: 'looking', poolMax: 4, acquireTimeoutMs: 1_000 });
        return (await this.#db.raw<{ rows: T[] }>(sql, [...bindings])).rows;
      },
      { withinMs: 60_000, everyMs: 100 },
    );
  }

  get address(): DatabaseAddress {
    return this.database.address();
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#starting.splice(0));
    for (const { process } of this.#members) process.child.kill('SIGCONT');
    await this.#db?.destroy();
    await Promise.all(this.#members.map(({ process }) => process.stop()));
    await this.database.stop();
  }

  async #begin(role: Role): Promise<void> {
    if (role === 'server') {
      const started = await serve(this.#environment);
      this.#join(new Member(role, started.process, started.origin));
      return;
    }
    const started = new OvermindProcess(['work'], this.#environment);
    const member = new Member(role, started);
    await eventually(() => assert.match(started.stdout + started.stderr, /worker is ready/, started.stderr), {
      withinMs: 60_000,
      everyMs: 50,
    });
    this.#join(member);
  }

  #join(member: Member): void {
    this.#members.push(member);
    this.#all.push(member.process);
  }
}
