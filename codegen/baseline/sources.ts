/** Turns what a person names (a ref, a folder, a snapshot, a version) into a surface. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { canonicalModel } from '../canonical/index.ts';
import { digestOf, type LoadedSurface } from '../diff/loaded.ts';
import { pathOf, sourcesOf, surfaceOfModel } from '../diff/surface/from-model.ts';
import { formatDiagnostic } from '../load/diagnostics.ts';
import type { DocumentMemory } from '../load/read-documents.ts';
import { loadModel, loadModelOf, type LoadedModel } from '../model/load-model.ts';
import type { ContractModel } from '../model/types.ts';
import { projectModel } from '../project/index.ts';
import { filesAt, findCommit, GitFault } from './git.ts';
import { readRelease, releasedVersions } from './releases.ts';
import { readSnapshot, SnapshotFault } from './snapshot.ts';

/** What was named cannot be compared: it is not there, or no contract stands in it. */
export class SourceFault extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SourceFault';
  }
}

export interface Where {
  readonly cwd: string;
  /** The contract folder, absolute. */
  readonly schemas: string;
  /** What the sources of one comparison have in common is read once. */
  readonly memory?: DocumentMemory;
  /** Reads a running server; absent where no network may be used. */
  readonly pull?: (address: string) => Promise<LoadedSurface>;
}

export const WORK_TREE = 'work tree';

export async function loadSource(name: string, where: Where): Promise<LoadedSurface> {
  if (name === WORK_TREE) return loadFolder(where.schemas, WORK_TREE, where);
  if (/^https?:\/\//u.test(name)) {
    if (where.pull === undefined) throw new SourceFault(`${name} is a server, and servers are not read here.`);
    return where.pull(name);
  }
  const version = name.replace(/^release:/u, '');
  if (releasedVersions(where.schemas).includes(version))
    return readSnapshotOf(() => readRelease(where.schemas, version));
  const path = resolve(where.cwd, name);
  const looksLikePath = /^[./~]|\.json$/u.test(name);
  const commit = looksLikePath ? undefined : findCommit(where.cwd, name);
  if (commit !== undefined) return loadCommit(name, commit, where);
  if (!existsSync(path)) {
    throw new SourceFault(`\`${name}\` is no released version, commit, folder or file here.`);
  }
  if (statSync(path).isDirectory()) return loadFolder(path, name, where);
  return readSnapshotOf(() => readSnapshot(readFileSync(path, 'utf8'), name));
}

function readSnapshotOf(read: () => LoadedSurface & { readonly intact: boolean }): LoadedSurface {
  try {
    return read();
  } catch (error) {
    if (error instanceof SnapshotFault) throw new SourceFault(error.message);
    throw error;
  }
}

async function loadFolder(folder: string, label: string, { memory }: Where): Promise<LoadedSurface> {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    const hint = label === WORK_TREE ? '; name one with --schemas, or both sides as A..B' : '';
    throw new SourceFault(`There is no contract folder ${label === WORK_TREE ? folder : label}${hint}.`);
  }
  return surfaceOf(await loadModel(folder, memory), label);
}

async function loadCommit(label: string, commit: string, where: Where): Promise<LoadedSurface> {
  const folder = relative(where.cwd, where.schemas).replaceAll('\\', '/');
  try {
    const files = filesAt(where.cwd, commit, folder === '' ? '.' : folder);
    if (files.size === 0) throw new SourceFault(`\`${label}\` has no contract folder ${folder}.`);
    return surfaceOf(await loadModelOf(files, where.memory), label);
  } catch (error) {
    if (error instanceof GitFault) throw new SourceFault(`\`${label}\` cannot be read: ${error.message}`);
    throw error;
  }
}

function surfaceOf({ model, diagnostics }: LoadedModel, label: string): LoadedSurface {
  if (model === undefined) {
    const lines = diagnostics.slice(0, 10).map((one) => `  ${formatDiagnostic(one)}`);
    throw new SourceFault(`The contracts of \`${label}\` have faults:\n${lines.join('\n')}`);
  }
  return loadedOf(model, label);
}

export function loadedOf(model: ContractModel, label: string): LoadedSurface {
  const canonical = canonicalModel(model);
  const surface = surfaceOfModel({ model, canonical, projection: projectModel(canonical) });
  const sources = sourcesOf(model);
  return {
    label,
    surface,
    digest: digestOf(surface),
    changes: model.changes,
    locate: (entity, path) => sources.get(entity)?.locate(pathOf(path)),
  };
}
