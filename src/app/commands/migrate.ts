import { createLogger } from '../../kernel/logger.ts';
import { loadConfig } from '../config.ts';
import { openStore, prepareStore } from '../store.ts';
import type { Terminal } from '../../kernel/terminal.ts';

export async function migrateStore({
  terminal,
  json,
}: {
  readonly terminal: Terminal;
  readonly json: boolean;
}): Promise<void> {
  const config = loadConfig();
  const logger = createLogger({ level: config.logLevel });
  const store = await openStore(config, logger, 'overmind-mcp migrate');
  try {
    const applied = await prepareStore(store, logger);
    if (json) terminal.out(JSON.stringify({ applied }));
    else terminal.out(applied.length === 0 ? 'The database is up to date.' : `Applied ${applied.join(', ')}.`);
  } finally {
    await store.close();
  }
}
