import { createHash } from 'node:crypto';
import { canonicalText, plainJson } from '../canonical/json.ts';
import type { ChangeSpec, SourcePosition } from '../model/types.ts';
import type { Surface } from './surface/types.ts';

/** What a release remembers besides its surface. */
export interface Release {
  readonly version: string;
  readonly date: string;
  /** Day until which callers of this release are kept working; for ever when absent. */
  readonly supportedUntil?: string;
  /** Fingerprints of the changes that were approved for this release. */
  readonly approved: readonly string[];
}

/** A surface with what its source knows beside it. */
export interface LoadedSurface {
  readonly label: string;
  readonly surface: Surface;
  /** SHA-256 over the surface. */
  readonly digest: string;
  readonly changes: readonly ChangeSpec[];
  readonly release?: Release;
  readonly locate?: (entity: string, path: string) => SourcePosition | undefined;
}

export function digestOf(surface: Surface): string {
  return createHash('sha256')
    .update(canonicalText(plainJson(surface)))
    .digest('hex');
}
