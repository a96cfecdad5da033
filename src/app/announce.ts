import { existsSync } from 'node:fs';
import type { Addresses } from './addresses.ts';
import { clientConfigs } from './client-configs.ts';
import type { Config } from './config.ts';
import { firstRunFile, type FirstRun } from './first-run.ts';
import type { Terminal } from '../kernel/terminal.ts';

export interface Announcement {
  readonly terminal: Terminal;
  readonly config: Config;
  readonly addresses: Addresses;
  /** Present on the first start: the only moment at which the key is shown. */
  readonly first: FirstRun | undefined;
  readonly json: boolean;
}

/** Says that the server is ready and how to connect. */
export function announce({ terminal, config, addresses, first, json }: Announcement): void {
  const file = firstRunFile(config);
  if (json) {
    terminal.out(JSON.stringify({ ready: true, url: addresses.mcpUrl, ...(first && { first_run: first }) }));
    return;
  }
  const { style } = terminal;
  terminal.out(`${style('green', 'Overmind MCP is ready.')}\n`);
  terminal.out(`  MCP      ${addresses.mcpUrl}`);
  terminal.out(`  Console  ${addresses.frontendUrl}`);
  terminal.out(`  Traces   ${addresses.origin}/v1/traces`);
  terminal.out(`  Health   ${addresses.origin}/healthz`);
  if (first === undefined) {
    const hint = existsSync(file)
      ? `The first key is in ${file}.`
      : 'Make a key with `overmind-mcp key create <name>`.';
    terminal.out(`\n${hint}`);
    return;
  }
  terminal.out(`\nFirst start: made project ${first.project_id} and its key\n`);
  terminal.out(`  ${style('bold', first.key)}\n`);
  terminal.out(`It is shown this once, and kept in ${file}, readable by you alone.\n`);
  if (first.setup_url !== undefined) {
    terminal.out(`Open this once to choose how you sign in at the Console:\n\n  ${style('bold', first.setup_url)}\n`);
  }
  terminal.out(style('bold', 'Connect a client:'));
  for (const { client, where, text } of clientConfigs(first.url, first.key)) {
    terminal.out(`\n${style('bold', client)} ${style('dim', `(${where})`)}\n${text.replaceAll(/^/gm, '  ')}`);
  }
}
