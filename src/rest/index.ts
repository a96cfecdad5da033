import type { EndpointHandlers } from '../../generated/contracts/endpoints.ts';
import { accountEndpoints, type AccountEndpointsParts } from './account.ts';
import { datasetEndpoints, type DatasetEndpointsParts } from './datasets.ts';
import type { EndpointContexts } from './endpoint.ts';
import { keyEndpoints, type KeyEndpointsParts } from './keys.ts';
import { liveTraceEndpoints, type LiveTracesParts } from './live-traces.ts';
import { operationsEndpoints, type OperationsParts } from './operations.ts';
import { otlpEndpoints, type OtlpParts } from './otlp.ts';
import { projectEndpoints, type ProjectEndpointsParts } from './projects.ts';

export type EndpointParts = OperationsParts &
  OtlpParts &
  LiveTracesParts &
  ProjectEndpointsParts &
  KeyEndpointsParts &
  AccountEndpointsParts &
  DatasetEndpointsParts;

/** One handler per REST operation of the contracts; an operation without one does not compile. */
export function createEndpoints(parts: EndpointParts): EndpointHandlers<EndpointContexts> {
  return {
    ...operationsEndpoints(parts),
    ...otlpEndpoints(parts),
    ...liveTraceEndpoints(parts),
    ...projectEndpoints(parts),
    ...keyEndpoints(parts),
    ...accountEndpoints(parts),
    ...datasetEndpoints(parts),
  };
}
