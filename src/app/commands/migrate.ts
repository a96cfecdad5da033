import { migrate } from '../../db/migrate.ts';
import { migrations } from '../../db/migrations/index.ts';
import { createLogger } from '../../kernel/logger.ts';
import { loadConfig } from '../config.ts';
import { openStore } from '../store.ts';
import type { Terminal } from '../terminal.ts';

export async function migrateStore({
  terminal,
  json,
}: {
  readonly terminal: Terminal;
  readonly json: boolean;
}): Promise<void> {
  const config = loadConfig();
  const store = await openStore(config, createLogger({ level: config.logLevel }), 'overmind-mcp migrate');
  try {
    const applied = await migrate(store.db, migrations);
    if (json) terminal.out(JSON.stringify({ applied }));
    else terminal.out(applied.length === 0 ? 'The database is up to date.' : `Applied ${applied.join(', ')}.`);
  } finally {
    await store.close();
  }
}
