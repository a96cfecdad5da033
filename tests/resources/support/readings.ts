import type { CapabilityPayload } from '../../../generated/contracts/resources/capability.ts';
import type { SessionPayload } from '../../../generated/contracts/resources/session.ts';
import type { TracePayload } from '../../../generated/contracts/resources/trace.ts';
import type { Caller } from '../../support/given.ts';

// The server validates every payload against the contract that these types are made from.

export async function readTrace(caller: Caller, traceId: string, cursor?: string | null): Promise<TracePayload> {
  const query = typeof cursor === 'string' ? `?cursor=${encodeURIComponent(cursor)}` : '';
  // because the payload of this resource is a TracePayload
  return (await caller.read(`overmind://traces/${traceId}${query}`)) as unknown as TracePayload;
}

export async function readSession(caller: Caller, session: string): Promise<SessionPayload> {
  // because the payload of this resource is a SessionPayload
  return (await caller.read(`overmind://sessions/${encodeURIComponent(session)}`)) as unknown as SessionPayload;
}

export async function readCapability(caller: Caller, capability: string): Promise<CapabilityPayload> {
  // because the payload of this resource is a CapabilityPayload
  return (await caller.read(
    `overmind://capabilities/${encodeURIComponent(capability)}`,
  )) as unknown as CapabilityPayload;
}
