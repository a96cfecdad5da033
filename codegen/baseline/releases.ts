import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compareVersions } from '../diff/version.ts';
import { RELEASES_FOLDER } from '../load/layout.ts';
import { readSnapshot, type Snapshot } from './snapshot.ts';

export function releaseFile(schemas: string, version: string): string {
  return join(schemas, RELEASES_FOLDER, `${version}.json`);
}

/** Versions that were released, newest first. */
export function releasedVersions(schemas: string): string[] {
  let names: string[];
  try {
    names = readdirSync(join(schemas, RELEASES_FOLDER));
  } catch {
    return [];
  }
  return names
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -'.json'.length))
    .sort((a, b) => compareVersions(b, a));
}

export function readRelease(schemas: string, version: string): Snapshot {
  return readSnapshot(readFileSync(releaseFile(schemas, version), 'utf8'), `release ${version}`);
}

/** The newest release, and those before it whose callers are still kept working. */
export function supportedReleases(schemas: string, today: string): Snapshot[] {
  const all = releasedVersions(schemas).map((version) => readRelease(schemas, version));
  return all.filter(({ release }, at) => at === 0 || (release?.supportedUntil ?? '9999-12-31') >= today);
}
