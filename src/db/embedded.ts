import { createHash } from 'node:crypto';
import { chmodSync, existsSync, lstatSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Client } from 'pg';
import { monotonicMs, systemClock } from '../kernel/clock.ts';
import { sleep } from '../kernel/duration.ts';

import type { Logger } from '../kernel/logger.ts';
import { backoffMs } from '../kernel/retry.ts';
import type { DatabaseAddress } from './connect.ts';
import { findBinaries } from './embedded-binaries.ts';
import { chooseIdentity, type Identity } from './embedded-identity.ts';
import {
  EMBEDDED_PORT,
  EMBEDDED_USER,
  initialise,
  launch,
  readServerPid,
  type ServerFiles,
} from './embedded-server.ts';
import { isAlive, withFileLock } from './file-lock.ts';

export interface EmbeddedOptions {
  /** Where the data lives. Any number of processes may name the same folder; they share one server. */
  readonly folder: string;
  /** Server settings beside the durable defaults. Those of the process that starts the server count. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly logger?: Logger;
}

export interface EmbeddedDatabase {
  readonly address: DatabaseAddress;
  /** True when the server was running already. */
  readonly adopted: boolean;
  /** Leaves the server; whoever leaves last stops it. Close every pool first. Answers whether it was stopped. */
  leave(): Promise<boolean>;
}

const LOCK = { clock: systemClock, waitMs: 90_000, staleAfterMs: 80_000 };
const STOP_MS = 20_000;
/** Server processes of closed connections take a moment to go. */
const FAREWELL_MS = 1_000;
const CONNECT_MS = 5_000;
/** The name of the connection a process holds for as long as it uses the server. */
const PRESENCE = 'embedded: in use';
const RECOVERY = { baseMs: 250, maxMs: 10_000 };
const STARTING_OR_STOPPING = '57P03';
const SUPERUSER_ONLY_LEFT = '53300';

/**
 * Starts the embedded PostgreSQL of a folder, or adopts the one that runs there, also one that a killed process left
 * behind. It listens on a private unix socket only. Every user holds one connection for as long as it stays, which is
 * how the last one knows that it is the last.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const folder = resolve(options.folder);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const data = join(folder, 'data');
  const files: ServerFiles = {
    folder,
    data,
    log: join(folder, 'postgres.log'),
    socketFolder: join(tmpdir(), `pg-${createHash('sha256').update(data).digest('hex').slice(0, 16)}`),
    binaries: findBinaries(process.platform, process.arch),
  };
  const lock = join(folder, 'start.lock');
  const over = new AbortController();
  const enterOrStart = (): Promise<Entry> =>
    withFileLock(lock, LOCK, async () => {
      if (over.signal.aborted) throw new Error('This process has left the embedded database.');
      const identity = chooseIdentity(data);
      prepareSocketFolder(files, identity);
      const running = await enter(files);
      return { presence: running ?? (await start(files, identity, options)), adopted: running !== undefined };
    });
  const stay = new Stay(enterOrStart, over, options.logger);
  const { adopted } = await stay.begin();
  options.logger?.info('embedded database ready', { folder, adopted });
  return {
    address: { socketFolder: files.socketFolder, port: EMBEDDED_PORT, user: EMBEDDED_USER, database: 'postgres' },
    adopted,
    leave: () => withFileLock(lock, LOCK, async () => leave(files, stay.end())),
  };
}

interface Entry {
  readonly presence: Client;
  readonly adopted: boolean;
}

/** This process's time with the server: when the server dies under it, it is started or adopted again. */
class Stay {
  readonly #enter: () => Promise<Entry>;
  readonly #logger: Logger | undefined;
  readonly #over: AbortController;
  #presence: Client | undefined;

  constructor(enter: () => Promise<Entry>, over: AbortController, logger: Logger | undefined) {
    this.#over = over;
    this.#enter = enter;
    this.#logger = logger;
  }

  async begin(): Promise<Entry> {
    const entry = await this.#enter();
    this.#presence = entry.presence;
    entry.presence.once('end', () => {
      if (!this.#over.signal.aborted) void this.#recover();
    });
    return entry;
  }

  /** The connection to give up; undefined when the server is gone. */
  end(): Client | undefined {
    this.#over.abort();
    return this.#presence;
  }

  async #recover(): Promise<void> {
    this.#logger?.warn('embedded database went away');
    for (let attempt = 1; !this.#over.signal.aborted; attempt += 1) {
      try {
        const { adopted } = await this.begin();
        this.#logger?.info('embedded database is back', { adopted });
        return;
      } catch (error) {
        this.#logger?.error('embedded database does not come back', { error, attempt });
        await sleep(backoffMs(attempt, RECOVERY), this.#over.signal);
      }
    }
  }
}

async function start(files: ServerFiles, identity: Identity, options: EmbeddedOptions): Promise<Client> {
  identity.own(files.folder);
  const settings: Readonly<Record<string, string>> = {
    ...DURABLE,
    unix_socket_directories: files.socketFolder,
    ...options.settings,
  };
  if (!existsSync(files.data)) initialise(files, identity, settings['fsync'] !== 'off');
  let presence: Client | undefined;
  await launch(files, identity, settings, async () => (presence = await enter(files)) !== undefined);
  if (presence === undefined) throw new Error('The embedded database was ready and is gone again.');
  return presence;
}

const DURABLE: Readonly<Record<string, string>> = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  max_connections: '100',
  // Room for the ends of all indexes that spans go into, and fewer checkpoints, each of which makes pages be logged whole.
  shared_buffers: '256MB',
  max_wal_size: '2GB',
  // The planner hears of a fast growing table in seconds instead of minutes.
  autovacuum_naptime: '15s',
  log_min_messages: 'warning',
  // Statements carry what users stored; the log does not need them.
  log_min_error_statement: 'panic',
  log_statement: 'none',
  timezone: 'UTC',
};

/** One connection that stays open while this process uses the server; undefined when no server answers. */
async function enter(files: ServerFiles): Promise<Client | undefined> {
  const giveUpAt = monotonicMs() + STOP_MS;
  for (;;) {
    const client = makeClient(files, PRESENCE);
    try {
      await client.connect();
      // It must not keep the process alive; it only dies with it.
      asReferable(client).unref();
      return client;
    } catch (error) {
      await client.end().catch(() => undefined);
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      const isBusy = code === STARTING_OR_STOPPING || code === SUPERUSER_ONLY_LEFT;
      if (!isBusy) return undefined;
      if (monotonicMs() > giveUpAt) throw error;
      await sleep(50);
    }
  }
}

async function leave(files: ServerFiles, presence: Client | undefined): Promise<boolean> {
  if (presence !== undefined) {
    asReferable(presence).ref();
    await presence.end().catch(() => undefined);
  }
  const watcher = makeClient(files, 'embedded: last look');
  try {
    await watcher.connect();
    if (!(await isAlone(watcher))) return false;
  } catch {
    // It is down already.
    return false;
  } finally {
    await watcher.end().catch(() => undefined);
  }
  const pid = readServerPid(files);
  if (pid === undefined) return false;
  // Fast shutdown: ends what is left of connections and writes a checkpoint.
  process.kill(pid, 'SIGINT');
  const giveUpAt = monotonicMs() + STOP_MS;
  while (isAlive(pid) && readServerPid(files) === pid) {
    if (monotonicMs() > giveUpAt) return false;
    await sleep(25);
  }
  return true;
}

async function isAlone(client: Client): Promise<boolean> {
  const giveUpAt = monotonicMs() + FAREWELL_MS;
  for (;;) {
    const others = await client.query<{ users: number; connections: number }>(
      `select count(*) filter (where application_name = $1)::int as users, count(*)::int as connections
       from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`,
      [PRESENCE],
    );
    const { users, connections } = others.rows[0] ?? { users: 0, connections: 0 };
    if (connections === 0) return true;
    if (users > 0 || monotonicMs() > giveUpAt) return false;
    await sleep(50);
  }
}

function asReferable(client: Client): { ref(): void; unref(): void } {
  // because the driver has both methods and its types have neither
  return client as Client & { ref(): void; unref(): void };
}

function makeClient(files: ServerFiles, purpose: string): Client {
  const client = new Client({
    host: files.socketFolder,
    port: EMBEDDED_PORT,
    user: EMBEDDED_USER,
    database: 'postgres',
    application_name: purpose,
    connectionTimeoutMillis: CONNECT_MS,
  });
  // A restart of the server ends idle connections; whoever uses the database next notices on its own.
  client.on('error', () => undefined);
  return client;
}

/**
 * Socket paths are limited to about 100 bytes, so the folder is a short one in the temporary folder. The server trusts
 * whoever reaches the socket: the folder must be ours alone, and one that somebody else made first is refused.
 */
function prepareSocketFolder(files: ServerFiles, identity: Identity): void {
  mkdirSync(files.socketFolder, { recursive: true, mode: 0o700 });
  const found = lstatSync(files.socketFolder);
  const owners = [process.getuid?.(), identity.spawn.uid];
  if (!found.isDirectory() || !owners.includes(found.uid)) {
    throw new Error(`The socket folder ${files.socketFolder} belongs to somebody else; remove it and start again.`);
  }
  chmodSync(files.socketFolder, 0o700);
  identity.own(files.socketFolder);
}
