import { connectionRefusal } from './http-fault.ts';
import { HttpTransport } from './http-transport.ts';
import { LIMITS, type Limits } from './limits.ts';
import { readListing, type Listing } from './listing.ts';
import { Refusal } from './refusal.ts';
import { LEGACY, MODERN, open, type Revision } from './session.ts';
import { StdioTransport } from './stdio-transport.ts';
import { surfaceOf, type GrantListing, type Taken } from './to-surface.ts';
import type { Headers, Transport } from './transport.ts';

/** A kind of credential and the headers that carry it. */
export interface Grant {
  readonly name: string;
  readonly headers: Headers;
}

export type Target =
  | { readonly kind: 'http'; readonly url: URL; readonly grants: readonly Grant[] }
  | { readonly kind: 'stdio'; readonly command: readonly string[]; readonly cwd: string };

export interface PullOptions {
  readonly target: Target;
  /** In the order to try; the default is the newest of each kind. */
  readonly revisions?: readonly Revision[];
  readonly limits?: Partial<Limits>;
}

export interface Pulled extends Taken {
  readonly listings: readonly GrantListing[];
}

const DEFAULT_REVISIONS: readonly Revision[] = [MODERN[0], LEGACY[0]];
export const DEFAULT_GRANT = 'default';

/** Some local servers never answer a question they do not know. */
const PROBE_MS = 5000;

/**
 * Reads a live server and writes its surface down. Only listings are asked for: no tool is called, no resource or
 * prompt is read, and no address that the server names is visited.
 */
export async function pull({ target, revisions = DEFAULT_REVISIONS, limits: given }: PullOptions): Promise<Pulled> {
  const limits = { ...LIMITS, ...given };
  const grants = target.kind === 'http' ? target.grants : [{ name: DEFAULT_GRANT, headers: {} }];
  const listings: GrantListing[] = [];
  const missing: string[] = [];
  for (const grant of grants) {
    for (const revision of revisions) {
      const listing = await readOne({ target, grant, revision, limits });
      if (listing === undefined)
        missing.push(`Revision ${revision} is not spoken${grants.length > 1 ? ` to ${grant.name}` : ''}.`);
      else if (!listings.some((one) => one.grant === grant.name && one.listing.revision === listing.revision)) {
        listings.push({ grant: grant.name, listing });
      }
    }
  }
  if (listings.length === 0) {
    throw new Refusal('not_mcp', `It speaks none of the revisions asked for: ${revisions.join(', ')}.`);
  }
  const { surface, notes } = surfaceOf(listings);
  return { surface, notes: [...missing, ...notes], listings };
}

interface Reading {
  readonly target: Target;
  readonly grant: Grant;
  readonly revision: Revision;
  readonly limits: Limits;
}

async function readOne({ target, grant, revision, limits }: Reading): Promise<Listing | undefined> {
  const transport = connect(target, grant, limits);
  try {
    const session = await open(
      transport,
      revision,
      target.kind === 'stdio' ? Math.min(PROBE_MS, limits.answerMs) : undefined,
    );
    return session === undefined ? undefined : await readListing(session, limits);
  } catch (error) {
    throw error instanceof Refusal ? named(error, grant, target) : connectionRefusal(error, revision);
  } finally {
    await transport.close();
  }
}

function connect(target: Target, grant: Grant, limits: Limits): Transport {
  return target.kind === 'http'
    ? new HttpTransport({ url: target.url, headers: grant.headers, limits })
    : new StdioTransport({ command: target.command, cwd: target.cwd, limits });
}

function named(error: Refusal, { name }: Grant, target: Target): Refusal {
  if (target.kind === 'stdio' || target.grants.length < 2) return error;
  return new Refusal(error.kind, `As ${name}: ${error.message}`, { cause: error });
}
