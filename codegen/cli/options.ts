import { statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { BadInput } from './io.ts';
import type { Io } from './io.ts';

/** What the flags of a command say. */
export interface Options {
  readonly schemas: string;
  readonly out: string;
  readonly json: boolean;
  readonly watch: boolean;
  /** Where to remember slow steps; undefined when told not to. */
  readonly cacheDir: string | undefined;
  readonly tests: string;
}

export interface RawOptions {
  readonly schemas?: string;
  readonly out?: string;
  readonly json?: boolean;
  readonly watch?: boolean;
  readonly cache?: boolean;
  readonly cacheDir?: string;
  readonly tests?: string;
}

export function readOptions(raw: RawOptions, io: Io): Options {
  const schemas = resolve(io.cwd, raw.schemas ?? 'schemas');
  requireFolder(schemas, io);
  const cacheDir = resolve(io.cwd, raw.cacheDir ?? join('node_modules', '.cache', 'mcp-contract'));
  const modules = resolve(io.cwd, 'node_modules');
  const mayCache = raw.cache !== false && (raw.cacheDir !== undefined || isFolder(modules));
  return {
    schemas,
    out: resolve(io.cwd, raw.out ?? 'generated'),
    json: raw.json === true,
    watch: raw.watch === true,
    cacheDir: mayCache ? cacheDir : undefined,
    tests: resolve(io.cwd, raw.tests ?? 'tests'),
  };
}

function requireFolder(path: string, io: Io): void {
  if (isFolder(path)) return;
  const shown = relative(io.cwd, path) || path;
  throw new BadInput(`There is no contract folder ${shown}. Name one with --schemas DIR.`);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
