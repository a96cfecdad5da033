import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { compileCatalogue } from './compiler.ts';

const SIZES = [40, 1];

export interface BuiltServers {
  /** Path of a compiled server by the name of its file without ending. */
  server(name: string): string;
  /** Compiled catalogue of so many tools. */
  catalogue(size: number): string;
}

/**
 * Compiles the servers under measure and their catalogues as a release is compiled. A loader that compiles on the way
 * adds a call to every function a request makes, and would be measured too.
 */
export function buildServers(folder: string): BuiltServers {
  const out = resolve(folder, 'build');
  const sources = SIZES.map((size) => compileCatalogue(folder, size));
  const project = resolve(folder, 'tsconfig.json');
  writeFileSync(
    project,
    JSON.stringify({
      extends: resolve('tsconfig.build.json'),
      compilerOptions: { rootDir: resolve('.'), outDir: out, declaration: false, sourceMap: false, noCheck: true },
      include: [resolve('tests/bench/servers'), ...sources],
      exclude: [],
    }),
  );
  execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', project], { stdio: 'inherit' });
  return {
    server: (name) => join(out, 'tests/bench/servers', `${name}.js`),
    catalogue: (size) => join(out, relative('.', folder), `catalogue-${String(size)}-generated/catalog/index.js`),
  };
}
