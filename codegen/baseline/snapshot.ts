/** A surface as a file: what a release promised, or what a server listed on a day. */
import { isJsonObject, sortMembers } from '../canonical/json.ts';
import { digestOf, type LoadedSurface, type Release } from '../diff/loaded.ts';
import { SURFACE_FORMAT, type Surface } from '../diff/surface/types.ts';
import type { JsonValue } from '../model/types.ts';

/** The file is no snapshot, or not one this program reads. */
export class SnapshotFault extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SnapshotFault';
  }
}

export function writeSnapshot(surface: Surface, release?: Release): string {
  const content = {
    snapshot: SURFACE_FORMAT,
    digest: digestOf(surface),
    ...(release === undefined ? {} : { release }),
  };
  // because a surface is JSON; the round trip drops members that are undefined
  const sorted = sortMembers(JSON.parse(JSON.stringify(surface)) as JsonValue);
  return `${JSON.stringify({ ...content, surface: sorted }, null, 1)}\n`;
}

export interface Snapshot extends LoadedSurface {
  /** Whether the surface is the one its digest was made of. */
  readonly intact: boolean;
}

export function readSnapshot(text: string, label: string): Snapshot {
  const value = parse(text, label);
  const { snapshot, digest, release, surface } = value;
  if (snapshot !== SURFACE_FORMAT || !isJsonObject(surface)) {
    throw new SnapshotFault(`${label} is no snapshot of format ${SURFACE_FORMAT}; make one with pull or release.`);
  }
  for (const part of ['server', 'definitions', 'tools', 'resources', 'prompts', 'jobs', 'errors', 'scopes']) {
    if (!isJsonObject(surface[part])) throw new SnapshotFault(`${label} lacks \`surface.${part}\`.`);
  }
  // because the shape was written by this program and its outline has been checked
  const read = surface as unknown as Surface;
  const found = digestOf(read);
  const known = releaseOf(release);
  return {
    label,
    surface: read,
    digest: found,
    changes: [],
    intact: digest === found,
    ...(known === undefined ? {} : { release: known }),
  };
}

function parse(text: string, label: string): { readonly [key: string]: JsonValue } {
  try {
    // because JSON.parse gives JSON
    const value = JSON.parse(text) as JsonValue;
    if (isJsonObject(value)) return value;
  } catch {
    throw new SnapshotFault(`${label} is not JSON.`);
  }
  throw new SnapshotFault(`${label} holds no object.`);
}

function releaseOf(value: JsonValue | undefined): Release | undefined {
  if (!isJsonObject(value)) return undefined;
  const { version, date, supportedUntil, approved } = value;
  if (typeof version !== 'string' || typeof date !== 'string') return undefined;
  return {
    version,
    date,
    ...(typeof supportedUntil === 'string' ? { supportedUntil } : {}),
    approved: Array.isArray(approved) ? approved.map(String) : [],
  };
}
