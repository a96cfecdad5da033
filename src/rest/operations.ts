import type { EndpointHandlers } from '../../generated/contracts/endpoints.ts';
import { AppError } from '../kernel/errors.ts';
import { equalsInConstantTime } from '../kernel/secrets.ts';
import type { EndpointContexts } from './endpoint.ts';

export interface OperationsParts {
  readonly contract: { readonly version: string; readonly hash: string };
  /** Rejects while the database does not answer, lacks migrations, or had some that ended what this version works with. */
  readonly checkDatabase: () => Promise<void>;
  readonly metrics: () => Promise<{ readonly contentType: string; readonly body: string }>;
  /** Opens the metrics to other machines. */
  readonly metricsToken: string | undefined;
}

/** Endpoints for operators and load balancers. */
export function operationsEndpoints(
  parts: OperationsParts,
): Pick<EndpointHandlers<EndpointContexts>, 'health' | 'readiness' | 'metrics'> {
  return {
    async health() {
      return { status: 'ok', version: parts.contract.version, contract_hash: parts.contract.hash };
    },
    async readiness() {
      try {
        await parts.checkDatabase();
      } catch (cause) {
        const message =
          'The database does not answer, or is of another version; the log says which. Try again in a few seconds.';
        throw new AppError('unavailable', message, { fields: { database: 'failing' }, cause });
      }
      return { status: 'ready', checks: { database: 'ok' } };
    },
    async metrics(_request, { isLocal, headers }) {
      const presented = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
      const token = parts.metricsToken;
      const isOpen = token !== undefined && presented !== undefined && equalsInConstantTime(presented, token);
      if (!isLocal && !isOpen) {
        throw new AppError('permission_denied', 'Metrics are for this machine, or for whoever holds METRICS_TOKEN.');
      }
      return parts.metrics();
    },
  };
}
