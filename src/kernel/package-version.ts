import { createRequire } from 'node:module';

/** Version of this package, wherever it is installed. */
export function packageVersion(): string {
  // because a package description always has a version
  return (createRequire(import.meta.url)('overmind-mcp/package.json') as { version: string }).version;
}
