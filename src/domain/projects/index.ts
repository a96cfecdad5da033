export type { Project, ProjectPosition, ProjectSettings } from './project.ts';
export { ProjectsService } from './projects-service.ts';
export type { ProjectReader } from './projects-service.ts';
