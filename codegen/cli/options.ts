import { statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { Checking } from './compile-tree.ts';
import type { View } from '../cost.ts';
import { BadInput } from './io.ts';
import type { Io } from './io.ts';

export const LINT_FORMATS = ['text', 'json', 'sarif', 'junit', 'github'] as const;
export type LintFormat = (typeof LINT_FORMATS)[number];

/** What the flags of a command say. */
export interface Options {
  readonly schemas: string;
  readonly out: string;
  readonly json: boolean;
  readonly watch: boolean;
  /** Where to remember slow steps; undefined when told not to. */
  readonly cacheDir: string | undefined;
  readonly tests: string;
  /** Form of what `lint` prints. */
  readonly format: LintFormat;
  /** Lists the rules instead of applying them. */
  readonly rules: boolean;
  readonly fixtures: string | undefined;
  /** Writes exact fixes into the contracts. */
  readonly fix: boolean;
  /** Shows what would be written. */
  readonly dryRun: boolean;
  /** What a watch keeps between its runs. */
  readonly remembered?: Pick<Checking, 'memory' | 'figures'>;
  /** More warnings than this fail. */
  readonly maxWarnings: number;
  /** Whose listing `cost` tells by tool. */
  readonly view: View;
  readonly peers: boolean;
  readonly savings: boolean;
}

export interface RawOptions {
  readonly fix?: boolean;
  readonly dryRun?: boolean;
  readonly maxWarnings?: string;
  readonly view?: View;
  readonly peers?: boolean;
  readonly savings?: boolean;
  readonly schemas?: string;
  readonly out?: string;
  readonly json?: boolean;
  readonly watch?: boolean;
  readonly cache?: boolean;
  readonly cacheDir?: string;
  readonly tests?: string;
  readonly format?: LintFormat;
  readonly rules?: boolean;
  readonly fixtures?: string;
}

export function readOptions(raw: RawOptions, io: Io): Options {
  const schemas = resolve(io.cwd, raw.schemas ?? 'schemas');
  if (raw.rules !== true) requireFolder(schemas, io);
  const cacheDir = resolve(io.cwd, raw.cacheDir ?? join('node_modules', '.cache', 'mcp-contract'));
  const modules = resolve(io.cwd, 'node_modules');
  const mayCache = raw.cache !== false && (raw.cacheDir !== undefined || isFolder(modules));
  return {
    schemas,
    out: resolve(io.cwd, raw.out ?? 'generated'),
    json: raw.json === true || raw.format === 'json',
    watch: raw.watch === true,
    cacheDir: mayCache ? cacheDir : undefined,
    tests: resolve(io.cwd, raw.tests ?? 'tests'),
    format: raw.format ?? (raw.json === true ? 'json' : 'text'),
    rules: raw.rules === true,
    fixtures: raw.fixtures,
    fix: raw.fix === true,
    dryRun: raw.dryRun === true,
    maxWarnings: wholeNumber(raw.maxWarnings),
    view: raw.view ?? 'account',
    peers: raw.peers === true,
    savings: raw.savings === true,
  };
}

function wholeNumber(written: string | undefined): number {
  if (written === undefined) return Infinity;
  if (!/^\d{1,6}$/u.test(written)) throw new BadInput(`--max-warnings takes a whole number, not ${written}.`);
  return Number(written);
}

function requireFolder(path: string, io: Io): void {
  if (isFolder(path)) return;
  const shown = relative(io.cwd, path) || path;
  throw new BadInput(`There is no contract folder ${shown}. Name one with --schemas DIR.`);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
