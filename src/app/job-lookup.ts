import { AppError } from '../kernel/errors.ts';
import type { JobContract } from '../mcp/contract.ts';
import type { JobKind } from '../../generated/contracts/index.ts';
import type { JobLookup, JobViews } from '../presenters/jobs.ts';

/** Joins the contracts of the kinds with what their domains tell. */
export function createJobLookup(contracts: readonly JobContract[], views: JobViews): JobLookup {
  const byName = new Map(
    contracts.flatMap((contract) => [contract.name, ...contract.aliases].map((name) => [name, contract])),
  );
  return {
    kinds: [...byName.keys()].sort(),
    async get(projectId, kind, id) {
      const contract = byName.get(kind);
      const view = contract && isKind(contract.name, views) ? await views[contract.name](projectId, id) : undefined;
      if (contract === undefined || view === undefined) {
        throw new AppError('resource_not_found', 'No such job exists in this project; check its kind and id.', {
          fields: { kind, id },
        });
      }
      const statusClass = contract.statuses[view.status];
      if (statusClass === undefined) throw new Error(`Jobs of kind ${contract.name} have no status ${view.status}.`);
      return { ...view, kind: contract.name, statusClass, pollMs: contract.pollMs };
    },
  };
}

function isKind(name: string, views: JobViews): name is JobKind {
  return Object.hasOwn(views, name);
}
