import type { Project } from '../../domain/projects/index.ts';
import { table, type Terminal } from '../../kernel/terminal.ts';
import { chooseAccount, withServices } from './operate.ts';

export async function createProject(options: {
  readonly terminal: Terminal;
  readonly name: string;
  readonly slug?: string;
  readonly account?: string;
  readonly json?: true;
}): Promise<void> {
  const { terminal, name, slug, json } = options;
  const project = await withServices(async ({ accounts, projects }) => {
    const account = await chooseAccount(accounts, options.account);
    return projects.create({ accountId: account.id, name, ...(slug !== undefined && { slug }) });
  });
  if (json === true) terminal.out(JSON.stringify(toJson(project)));
  else terminal.out(`Made project ${project.name} (${project.slug}), id ${project.id}.`);
}

export async function listProjects({
  terminal,
  json,
}: {
  readonly terminal: Terminal;
  readonly json?: true;
}): Promise<void> {
  const projects = await withServices((services) => services.projects.list());
  if (json === true) {
    terminal.out(JSON.stringify(projects.map(toJson)));
    return;
  }
  const rows = projects.map((project) => [
    project.id,
    project.slug,
    project.isActive ? 'active' : 'inactive',
    project.name,
  ]);
  terminal.out(rows.length === 0 ? 'There is no project yet.' : table([['ID', 'SLUG', 'STATE', 'NAME'], ...rows]));
}

function toJson(project: Project) {
  return {
    id: project.id,
    name: project.name,
    slug: project.slug,
    is_active: project.isActive,
    created_at: project.createdAt.toISOString(),
  };
}
