/** Which files a contract tree has: the path of a file is its kind and its identity. */
export const KINDS = [
  'server',
  'errors',
  'scopes',
  'domains',
  'model',
  'tool',
  'resource',
  'prompt',
  'job',
  'endpoint',
  'page',
  'profile',
  'change',
  'tombstones',
] as const;

export type Kind = (typeof KINDS)[number];

export interface Place {
  readonly kind: Kind;
  /** File name without its extension. */
  readonly stem: string;
  /** Folder between kind and file, for kinds that are grouped by domain. */
  readonly domain?: string;
}

export const SINGLE_FILES: Readonly<Record<string, Kind>> = {
  'server.yaml': 'server',
  'vocabulary/errors.yaml': 'errors',
  'vocabulary/scopes.yaml': 'scopes',
  'vocabulary/domains.yaml': 'domains',
  'vocabulary/tombstones.yaml': 'tombstones',
};

/** Single files a tree may do without. */
export const OPTIONAL_FILES: readonly string[] = ['vocabulary/tombstones.yaml'];

/** Top folders: the kind they hold and whether a domain folder stands between. */
export const FOLDERS: Readonly<Record<string, { readonly kind: Kind; readonly byDomain: boolean }>> = {
  models: { kind: 'model', byDomain: false },
  tools: { kind: 'tool', byDomain: true },
  resources: { kind: 'resource', byDomain: true },
  prompts: { kind: 'prompt', byDomain: false },
  jobs: { kind: 'job', byDomain: false },
  endpoints: { kind: 'endpoint', byDomain: true },
  pages: { kind: 'page', byDomain: false },
  profiles: { kind: 'profile', byDomain: false },
  changes: { kind: 'change', byDomain: false },
};

/** Folders of the root that are not contract folders by kind: published grammar and vocabulary. */
export const META_FOLDER = 'meta';
/** Snapshots of released surfaces; written by the gate, never read as contracts. */
export const RELEASES_FOLDER = 'releases';
export const TOP_FOLDERS: readonly string[] = [...Object.keys(FOLDERS), 'vocabulary', META_FOLDER, RELEASES_FOLDER];

/** What stands at a path relative to the root, or undefined when nothing may stand there. */
export function placeOf(file: string): Place | undefined {
  const single = SINGLE_FILES[file];
  const parts = file.split('/');
  const stem = (parts.at(-1) ?? '').replace(/\.yaml$/u, '');
  if (single !== undefined) return { kind: single, stem };
  const folder = FOLDERS[parts[0] ?? ''];
  if (folder === undefined || !file.endsWith('.yaml') || parts.length !== (folder.byDomain ? 3 : 2)) return undefined;
  return { kind: folder.kind, stem, ...(folder.byDomain ? { domain: parts[1] ?? '' } : {}) };
}
