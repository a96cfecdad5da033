import { resourceUri } from '../../generated/catalog/resource-uris.ts';
import type { ResourceLink } from '../../generated/contracts/models/resource_link.ts';
import { clip } from '../kernel/bounded.ts';

const TITLE_LENGTH = 160;

export function linkCapability(capability: { readonly id: string; readonly name: string }): ResourceLink {
  return link(resourceUri.capability({ capability: capability.id }), `Capability ${capability.name}`);
}

/** The title is what a person calls the trace, usually the name of its root span. */
export function linkTrace(trace: { readonly traceId: string; readonly name: string }): ResourceLink {
  return link(resourceUri.trace({ trace_id: trace.traceId }), `Trace ${trace.name}`);
}

export function linkSession(session: { readonly id: string; readonly name: string }): ResourceLink {
  return link(resourceUri.session({ session: session.id }), `Session ${session.name}`);
}

export function linkDataset(dataset: { readonly id: string; readonly name: string }): ResourceLink {
  return link(resourceUri.dataset({ dataset: dataset.id }), `Dataset ${dataset.name}`);
}

/** The label is what the job works on. */
export function linkJob(job: { readonly kind: string; readonly id: string; readonly label: string }): ResourceLink {
  return link(resourceUri.job({ kind: job.kind, id: job.id }), job.label);
}

function link(uri: string, title: string): ResourceLink {
  return { uri, title: clip(title, TITLE_LENGTH), mimeType: 'application/json' };
}
