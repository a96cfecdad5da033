/** What the processes beside MCP need at run time: how each REST operation is guarded, how each kind of job is run. */
import type { CanonicalModel } from '../../canonical/index.ts';
import { plain } from '../catalog/contract-objects.ts';
import type { EmitInput, Emitted } from '../emitter.ts';
import { render } from '../render.ts';
import { routed } from './surfaces.ts';

type Model = CanonicalModel['model'];

export function emitOperations({ canonical: { model } }: EmitInput): Emitted {
  const endpoints = routed(model.endpoints).map((endpoint) => plain(endpointObject(endpoint)));
  const policies = model.jobs.map((job) => ({ name: job.name, value: policyObject(job) }));
  return new Map([
    ['rest/endpoints.ts', { source: '', body: render(import.meta.url, 'endpoints', { endpoints }) }],
    ['contracts/job-policies.ts', { source: '', body: render(import.meta.url, 'job-policies', { policies }) }],
  ]);
}

function endpointObject(endpoint: Model['endpoints'][number]): object {
  const { name, domain, method, path, auth, permission, mcpImpact, parameters, request, response } = endpoint;
  return {
    name,
    domain,
    method,
    path,
    auth,
    permission,
    mcpImpact,
    parameters: parameters.map((one) => ({ name: one.name, in: one.in, required: one.required })),
    request: request === undefined ? undefined : { contentTypes: request.contentTypes, maxBytes: request.maxBytes },
    response: { status: response.status, contentType: response.contentType },
  };
}

function policyObject(job: Model['jobs'][number]): object {
  return { attempts: job.attempts, timeoutSeconds: job.timeoutSeconds, retentionDays: job.retentionDays };
}
