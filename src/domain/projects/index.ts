export { Invitations } from './invitations.ts';
export { setUpFirst } from './first-setup.ts';
export type { FirstThings } from './first-setup.ts';
export type { Project, ProjectMember, ProjectPosition, ProjectSettings } from './project.ts';
export { ProjectsService } from './projects-service.ts';
export type { ProjectReader } from './projects-service.ts';
