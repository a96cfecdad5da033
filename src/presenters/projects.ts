import { resourceUri } from '../../generated/catalog/resource-uris.ts';
import type { ProjectSummary } from '../../generated/contracts/models/project_summary.ts';
import type { CurrentProjectPayload } from '../../generated/contracts/resources/current_project.ts';
import type { ListProjectsOutput } from '../../generated/contracts/tools/projects/list_projects.ts';
import type { Project } from '../domain/projects/index.ts';

/** `projectInUri` is for account credentials, whose resource addresses name the project. */
export function presentProjectRow(
  project: Project,
  { frontendUrl, projectInUri }: { readonly frontendUrl: string; readonly projectInUri: boolean },
): ListProjectsOutput['projects'][number] {
  return {
    id: project.id,
    name: project.name,
    slug: project.slug,
    console_url: consoleUrl(frontendUrl, project.id),
    resource_uri: resourceUri.current_project(projectInUri ? { project_id: project.id } : {}),
  };
}

export function presentCurrentProject(project: Project, frontendUrl: string): CurrentProjectPayload {
  const { repositorySnapshot, lastSyncedAt } = project.settings;
  return {
    uri: resourceUri.current_project(),
    kind: 'project',
    id: project.id,
    name: project.name,
    slug: project.slug,
    console_url: consoleUrl(frontendUrl, project.id),
    integration_type: project.integrationType,
    is_active: project.isActive,
    created_at: project.createdAt.toISOString(),
    updated_at: project.updatedAt.toISOString(),
    repository_snapshot: repositorySnapshot === undefined ? null : { ...repositorySnapshot },
    last_synced_at: lastSyncedAt ?? null,
  };
}

export function presentProjectSummary(project: Project, frontendUrl: string): ProjectSummary {
  return {
    id: project.id,
    name: project.name,
    slug: project.slug,
    console_url: consoleUrl(frontendUrl, project.id),
    created_at: project.createdAt.toISOString(),
  };
}

/** Keeps whatever path the Console's address has. */
function consoleUrl(frontendUrl: string, projectId: string): string {
  return `${frontendUrl.replace(/\/$/, '')}/?projectId=${encodeURIComponent(projectId)}`;
}
