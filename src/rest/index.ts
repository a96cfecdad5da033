import type { EndpointHandlers } from '../../generated/contracts/endpoints.ts';
import type { EndpointContexts } from './endpoint.ts';
import { operationsEndpoints, type OperationsParts } from './operations.ts';
import { projectEndpoints, type ProjectEndpointsParts } from './projects.ts';
import { otlpEndpoints, type OtlpParts } from './otlp.ts';

export type EndpointParts = OperationsParts & OtlpParts & ProjectEndpointsParts;

/** One handler per REST operation of the contracts; an operation without one does not compile. */
export function createEndpoints(parts: EndpointParts): EndpointHandlers<EndpointContexts> {
  return { ...operationsEndpoints(parts), ...otlpEndpoints(parts), ...projectEndpoints(parts) };
}
