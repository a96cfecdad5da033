import type { Completers } from '../../generated/contracts/completers.ts';
import type { ResourceReaders } from '../../generated/contracts/readers.ts';
import type { Observability } from '../domain/observability/index.ts';
import { presentCapability } from '../presenters/capabilities.ts';
import type { Contexts } from './contexts.ts';

export function capabilityReaders({
  capabilities,
  health,
}: Pick<Observability, 'capabilities' | 'health'>): Pick<ResourceReaders<Contexts>, 'capability'> {
  return {
    async capability(variables, { project }) {
      const capability = await capabilities.require(project.id, variables.capability);
      const [aliases, activity] = await Promise.all([
        capabilities.aliasesOf(project.id, capability.id),
        health.activity(project.id, capability.id),
      ]);
      return presentCapability(capability, { ...aliases, ...activity });
    },
  };
}

export function capabilityCompleters({
  capabilities,
}: Pick<Observability, 'capabilities'>): Pick<Completers<Contexts>, 'capability'> {
  return {
    async capability(value, { project }) {
      return capabilities.complete(project.id, value);
    },
  };
}
