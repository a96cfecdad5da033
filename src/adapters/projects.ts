import type { ProjectsAdapters } from '../../generated/contracts/adapters.ts';
import type { ProjectPosition, ProjectsService } from '../domain/projects/index.ts';
import type { PageCursors } from '../kernel/page-cursor.ts';
import { presentProjectRow } from '../presenters/projects.ts';
import type { Contexts } from './contexts.ts';

export interface ProjectsAdapterParts {
  readonly projects: ProjectsService;
  readonly cursors: PageCursors;
  readonly frontendUrl: string;
}

export function projectsAdapters({ projects, cursors, frontendUrl }: ProjectsAdapterParts): ProjectsAdapters<Contexts> {
  return {
    async list_projects({ limit, cursor }, { accountId, credential: { projectId } }) {
      const query = { list: 'projects', accountId, projectId };
      const after = cursor === undefined ? undefined : positionOf(cursors.open(query, cursor));
      const reader = { accountId, ...(projectId !== undefined && { projectId }) };
      const { projects: rows, next } = await projects.listAccessible(reader, { limit, ...(after && { after }) });
      const isWhole = after === undefined && next === undefined;
      return {
        summary: summaryOf(rows.length, next !== undefined),
        projects: rows.map((row) => presentProjectRow(row, { frontendUrl, projectInUri: projectId === undefined })),
        page: {
          limit,
          has_more: next !== undefined,
          next_cursor: next === undefined ? null : cursors.seal(query, [next.name, next.id]),
          ...(isWhole && { total: rows.length }),
        },
      };
    },
  };
}

function positionOf([name, id]: readonly unknown[]): ProjectPosition {
  return { name: String(name), id: String(id) };
}

function summaryOf(count: number, more: boolean): string {
  const noun = count === 1 ? 'project' : 'projects';
  return `${count} ${noun}${more ? ' on this page; more follow' : ''}.`;
}
