import type { PageHandlers } from '../../../generated/console/pages.ts';
import type { Observability } from '../../domain/observability/index.ts';
import type { Answer, Visits } from '../visit.ts';

const LISTED = 50;

export function sessionPages({
  observability: { sessions },
}: {
  readonly observability: Pick<Observability, 'sessions'>;
}): Pick<PageHandlers<Visits, Answer>, 'sessions' | 'session'> {
  return {
    sessions: {
      async show({ project, query }) {
        const search = (query.get('search') ?? '').slice(0, 200);
        const cursor = query.get('cursor') ?? '';
        const page = await sessions.list(project.id, {
          limit: LISTED,
          ...(search !== '' && { search }),
          ...(cursor !== '' && { cursor }),
        });
        return {
          view: 'sessions',
          title: 'Sessions',
          data: { rows: page.sessions, nextCursor: page.nextCursor, search, isLater: cursor !== '' },
        };
      },
    },
    session: {
      async show({ project, params }) {
        const session = await sessions.read(project.id, params['session'] ?? '');
        return { view: 'session', title: session.name || session.externalId, current: 'sessions', data: { session } };
      },
    },
  };
}
