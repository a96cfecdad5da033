import type { PageHandlers } from '../../../generated/console/pages.ts';
import type { AgentCallsService } from '../../domain/identity/index.ts';
import type { Answer, Visits } from '../visit.ts';

const LISTED = 50;
const NAME = /^[a-z0-9_/-]{1,64}$/;

/** Calls in the project at hand; without one, those of the person's own credentials in all projects. */
export function auditPages({
  audit,
}: {
  readonly audit: AgentCallsService;
}): Pick<PageHandlers<Visits, Answer>, 'audit'> {
  return {
    audit: {
      async show({ person, project, query }) {
        const name = query.get('name') ?? '';
        const outcome = query.get('outcome') ?? '';
        const cursor = query.get('cursor') ?? '';
        const { calls, nextCursor } = await audit.list(
          {
            ...(project === undefined ? { accountId: person.account.id } : { projectId: project.id }),
            ...(NAME.test(name) && { name }),
            ...((outcome === 'ok' || outcome === 'error') && { outcome }),
          },
          { limit: LISTED, ...(cursor !== '' && { cursor }) },
        );
        return {
          view: 'audit',
          title: 'Agent calls',
          data: {
            calls: calls.map((call) => ({ ...call, resource: call.projectId })),
            nextCursor,
            filter: { name, outcome },
            isFiltered: name !== '' || outcome !== '',
            isLater: cursor !== '',
          },
        };
      },
    },
  };
}
