import { access, constants, mkdir, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { migrationState } from '../../db/migrate.ts';
import type { MigrationState } from '../../db/migration-history.ts';
import { migrations } from '../../db/migrations/index.ts';
import { createLogger } from '../../kernel/logger.ts';
import { ConfigError, currentEnvironment, loadConfig, type Config } from '../config.ts';
import { firstRunFile } from '../first-run.ts';
import { settingLines, settingsMarkdown } from '../settings-table.ts';
import { openStore } from '../store.ts';
import { table, type Terminal } from '../../kernel/terminal.ts';

interface Finding {
  readonly check: string;
  readonly ok: boolean;
  /** What was found; for a fault also what to do. */
  readonly detail: string;
}

const NODE_FLOOR = [20, 20] as const;
const POSTGRES_FLOOR = 150_000;

/** Looks at everything a start needs and says what to do about each fault. True when all is well. */
export async function doctor(options: {
  readonly terminal: Terminal;
  readonly settings?: true;
  readonly markdown?: true;
  readonly json?: true;
}): Promise<boolean> {
  const { terminal, json } = options;
  if (options.markdown === true) {
    terminal.out(settingsMarkdown());
    return true;
  }
  const lines = settingLines(currentEnvironment());
  if (options.settings === true) {
    terminal.out(json === true ? JSON.stringify(lines) : settingsText(lines));
    return true;
  }
  const findings = await examine();
  const ok = findings.every((finding) => finding.ok);
  if (json === true) {
    terminal.out(JSON.stringify({ ok, checks: findings, settings: lines }));
    return ok;
  }
  const mark = (good: boolean): string => (good ? terminal.style('green', 'ok  ') : terminal.style('red', 'FAIL'));
  for (const { check, ok: good, detail } of findings) terminal.out(`${mark(good)}  ${check}: ${detail}`);
  terminal.out(`\n${settingsText(lines)}`);
  return ok;
}

function settingsText(lines: ReturnType<typeof settingLines>): string {
  return table([['SETTING', 'VALUE', 'MEANING'], ...lines.map((line) => [line.name, line.value || '–', line.meaning])]);
}

async function examine(): Promise<readonly Finding[]> {
  const node = checkNode(process.versions.node);
  let config: Config;
  try {
    config = loadConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [node, ...error.faults.map((fault) => ({ check: 'settings', ok: false, detail: fault.message }))];
  }
  return [
    node,
    { check: 'settings', ok: true, detail: 'all values can be used' },
    await checkFolder(config),
    await checkNote(config),
    await checkPort(config),
    ...(await checkDatabase(config)),
  ];
}

function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const ok = major > NODE_FLOOR[0] || (major === NODE_FLOOR[0] && minor >= NODE_FLOOR[1]);
  return {
    check: 'Node.js',
    ok,
    detail: ok ? version : `${version} is too old; install ${NODE_FLOOR.join('.')} or newer`,
  };
}

async function checkFolder({ dataDir }: Config): Promise<Finding> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    return { check: 'DATA_DIR', ok: true, detail: `${dataDir} can be written` };
  } catch {
    return {
      check: 'DATA_DIR',
      ok: false,
      detail: `${dataDir} cannot be written; give it to this user or set DATA_DIR`,
    };
  }
}

async function checkNote(config: Config): Promise<Finding> {
  const file = firstRunFile(config);
  const mode = await stat(file).then(
    (found) => found.mode & 0o777,
    () => undefined,
  );
  if (mode === undefined) return { check: 'first-run.json', ok: true, detail: 'not made yet, or removed' };
  const ok = (mode & 0o077) === 0;
  return {
    check: 'first-run.json',
    ok,
    detail: ok ? 'readable by its owner only' : `others can read it; chmod 600 ${file}`,
  };
}

async function checkPort({ host, port }: Config): Promise<Finding> {
  const error = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
    const probe = createServer();
    probe.once('error', resolve);
    probe.listen(port, host, () => probe.close(() => resolve(undefined)));
  });
  if (error === undefined) return { check: 'PORT', ok: true, detail: `${host}:${port} is free` };
  if (error.code === 'EADDRINUSE') {
    return {
      check: 'PORT',
      ok: false,
      detail: `${host}:${port} is in use, perhaps by a running server; stop it or set PORT`,
    };
  }
  return {
    check: 'PORT',
    ok: false,
    detail: `cannot listen on ${host}:${port} (${error.code ?? 'unknown'}); set HOST or PORT`,
  };
}

async function checkDatabase(config: Config): Promise<readonly Finding[]> {
  const what = config.databaseUrl === undefined ? 'embedded database' : 'database of DATABASE_URL';
  try {
    const store = await openStore(config, createLogger({ level: 'silent' }), 'overmind-mcp doctor');
    try {
      const answer = await store.db.raw<{ rows: { version: number }[] }>(
        `select current_setting('server_version_num')::integer as version`,
      );
      const version = answer.rows[0]?.version ?? 0;
      const isNew = version >= POSTGRES_FLOOR;
      const state = await migrationState(store.db, migrations);
      return [
        {
          check: what,
          ok: isNew,
          detail: isNew
            ? `answers, PostgreSQL ${Math.floor(version / 10_000)}`
            : 'is too old; PostgreSQL 15 or newer is needed',
        },
        { check: 'migrations', ok: true, detail: describeMigrations(state) },
      ];
    } finally {
      await store.close();
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return [{ check: what, ok: false, detail: `cannot be used: ${why}` }];
  }
}

function describeMigrations({ pending, ahead }: MigrationState): string {
  if (pending.length > 0) return `${pending.length} to apply; the next serve or migrate does it`;
  if (ahead.length > 0) return `${ahead.length} of a later version, which this one can go on beside`;
  return 'all applied';
}
