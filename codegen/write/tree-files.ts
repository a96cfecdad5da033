import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compareText } from '../canonical/json.ts';

/** Every regular file under a folder by its path with forward slashes, in path order; empty when there is no folder. */
export function listFiles(root: string): readonly string[] {
  const found: string[] = [];
  const visit = (relative: string): void => {
    for (const entry of readdirSync(join(root, relative), { withFileTypes: true })) {
      const path = relative === '' ? entry.name : `${relative}/${entry.name}`;
      if (entry.isDirectory()) visit(path);
      else if (entry.isFile()) found.push(path);
    }
  };
  try {
    visit('');
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  return found.sort(compareText);
}

export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
