import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import type { DatabaseAddress } from '../../../src/db/connect.ts';
import { EMBEDDED_USER } from '../../../src/db/embedded-server.ts';
import { eventually } from '../../support/eventually.ts';

export type DatabaseKind = 'embedded' | 'postgresql';

/** A database that can be killed, and that keeps what it has confirmed. */
export interface MortalDatabase {
  /** What processes need to be told to use it, besides their folder. */
  readonly environment: Readonly<Record<string, string>>;
  address(): DatabaseAddress;
  /** Kills the server; it is on its way back when this ends. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

const run = promisify(execFile);
const SCRIPT = path.resolve(import.meta.dirname, '../../support/postgres.sh');
const BACK = { withinMs: 60_000, everyMs: 100 };

/** The one in the folder of an installation, which its processes start again by themselves. */
export function embeddedIn(folder: string): MortalDatabase {
  const note = () => readFileSync(path.join(folder, 'postgres/data/postmaster.pid'), 'utf8').split('\n');
  return {
    environment: {},
    address: () => {
      const [, , , port, socketFolder = ''] = note();
      return { socketFolder, port: Number(port), user: EMBEDDED_USER, database: 'postgres' };
    },
    // One that was killed a moment ago may still be on its way back.
    kill: () => eventually(() => void process.kill(Number(note()[0]), 'SIGKILL'), BACK),
    stop: () => Promise.resolve(),
  };
}

/** A cluster of its own, which somebody starts again as an operator or a service manager would. */
export async function ownPostgres(): Promise<MortalDatabase> {
  const { stdout } = await run('bash', [SCRIPT, 'start', 'durable']);
  const url = /^DATABASE_URL=(.*)$/m.exec(stdout)?.[1];
  const folder = /^POSTGRES_DIR=(.*)$/m.exec(stdout)?.[1];
  if (url === undefined || folder === undefined) throw new Error(`No PostgreSQL was started: ${stdout}`);
  return {
    environment: { DATABASE_URL: url },
    address: () => ({ url }),
    kill: async () => {
      await run('bash', [SCRIPT, 'kill', folder]);
      await run('bash', [SCRIPT, 'again', folder]);
    },
    stop: async () => {
      await run('bash', [SCRIPT, 'stop', folder]);
    },
  };
}
