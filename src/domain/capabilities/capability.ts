import { createHash } from 'node:crypto';

export type CapabilityStatus = 'current' | 'leftover' | 'deleted';

/** One purpose of the agent that a project stands for. */
export interface Capability {
  readonly id: string;
  readonly name: string;
  /** Unique in the project. */
  readonly slug: string;
  readonly description: string;
  readonly status: CapabilityStatus;
  /** Made from traffic rather than declared. */
  readonly observed: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** How a span names the capability it belongs to; at least one field is present. */
export interface CapabilityClaim {
  /** An id of the instrumented program's choosing, or the capability's own id. */
  readonly id?: string;
  readonly name?: string;
  readonly slug?: string;
}

type IdentityKind = 'id' | 'name' | 'slug';

/** One identity a capability holds or once held; values are compared in lower case. */
export interface Identity {
  readonly kind: IdentityKind;
  readonly value: string;
}

const SLUG_MAX = 64;

/** Lower-case letters, digits and hyphens; a name without any gets a digest, so that every name has a slug. */
function slugify(name: string): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{Mark}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, SLUG_MAX)
    .replace(/-+$/, '');
  return slug === '' ? `capability-${createHash('sha256').update(name).digest('hex').slice(0, 12)}` : slug;
}

export function identityValue(value: string): string {
  return value.trim().normalize('NFC').toLowerCase();
}

/** The identities a claim speaks of, the strongest first. */
export function identitiesOf(claim: CapabilityClaim): readonly Identity[] {
  const identities: Identity[] = [];
  if (claim.id !== undefined) identities.push({ kind: 'id', value: identityValue(claim.id) });
  if (claim.name !== undefined) identities.push({ kind: 'name', value: identityValue(claim.name) });
  if (claim.slug !== undefined) identities.push({ kind: 'slug', value: identityValue(claim.slug) });
  return identities;
}

/** Equal for claims that say the same thing, so that one batch resolves each claim once. */
export function claimKey(claim: CapabilityClaim): string {
  return JSON.stringify(
    [claim.id ?? null, claim.name ?? null, claim.slug ?? null].map((part) => part && identityValue(part)),
  );
}

/** The name and slug of a capability that a claim brings into being. */
export function nameFor(claim: CapabilityClaim): { name: string; slug: string } {
  const name = claim.name ?? claim.slug ?? claim.id ?? '';
  return { name: name.trim(), slug: slugify(claim.slug ?? name) };
}
