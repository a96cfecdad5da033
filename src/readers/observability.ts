import type { Completers } from '../../generated/contracts/completers.ts';
import type { ResourceReaders } from '../../generated/contracts/readers.ts';
import type { Observability } from '../domain/observability/index.ts';
import { presentSession, presentTrace } from '../presenters/observability.ts';
import type { Contexts } from './contexts.ts';

export function observabilityReaders({
  traces,
  sessions,
  capabilities,
}: Pick<Observability, 'traces' | 'sessions' | 'capabilities'>): Pick<ResourceReaders<Contexts>, 'trace' | 'session'> {
  return {
    async trace({ trace_id: traceId, cursor }, { project }) {
      return presentTrace(await traces.read(project.id, traceId, cursor));
    },
    async session(variables, { project }) {
      const session = await sessions.read(project.id, variables.session);
      const { capabilityId } = session;
      const capability = capabilityId && (await capabilities.find(project.id, capabilityId));
      return presentSession(session, capability || undefined);
    },
  };
}

export function observabilityCompleters({
  sessions,
}: Pick<Observability, 'sessions'>): Pick<Completers<Contexts>, 'session'> {
  return {
    async session(value, { project }) {
      return sessions.complete(project.id, value);
    },
  };
}
