import { resourceUri } from '../../generated/catalog/resource-uris.ts';
import type { CapabilityPayload } from '../../generated/contracts/resources/capability.ts';
import type { Capability, Identity } from '../domain/capabilities/index.ts';

/** What is known of a capability beside its own row. */
export interface CapabilityFacts {
  readonly aliases: readonly Identity[];
  readonly truncated: boolean;
  readonly traceCount: number;
  readonly lastSeenAt?: string;
  readonly model?: string;
}

export function presentCapability(capability: Capability, facts: CapabilityFacts): CapabilityPayload {
  return {
    uri: resourceUri.capability({ capability: capability.id }),
    kind: 'capability',
    id: capability.id,
    name: capability.name,
    slug: capability.slug,
    description: capability.description,
    status: capability.status,
    observed: capability.observed,
    ...(facts.model !== undefined && { model: facts.model }),
    aliases: facts.aliases.map(({ kind, value }) => ({ kind, value })),
    aliases_truncated: facts.truncated,
    trace_count: facts.traceCount,
    ...(facts.lastSeenAt !== undefined && { last_seen_at: facts.lastSeenAt }),
    created_at: capability.createdAt,
    updated_at: capability.updatedAt,
  };
}
