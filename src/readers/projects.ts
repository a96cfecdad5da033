import type { ResourceReaders } from '../../generated/contracts/readers.ts';
import type { ProjectsService } from '../domain/projects/index.ts';
import { presentCurrentProject } from '../presenters/projects.ts';
import type { Contexts } from './contexts.ts';

export function projectReaders(parts: {
  readonly projects: ProjectsService;
  readonly frontendUrl: string;
}): Pick<ResourceReaders<Contexts>, 'current_project'> {
  return {
    async current_project(_variables, { project }) {
      return presentCurrentProject(await parts.projects.get(project.id), parts.frontendUrl);
    },
  };
}
