import type { EndpointHandlers } from '../../generated/contracts/endpoints.ts';
import type { EndpointContexts } from './endpoint.ts';
import { operationsEndpoints, type OperationsParts } from './operations.ts';
import { otlpEndpoints, type OtlpParts } from './otlp.ts';

export type EndpointParts = OperationsParts & OtlpParts;

/** One handler per REST operation of the contracts; an operation without one does not compile. */
export function createEndpoints(parts: EndpointParts): EndpointHandlers<EndpointContexts> {
  return { ...operationsEndpoints(parts), ...otlpEndpoints(parts) };
}
