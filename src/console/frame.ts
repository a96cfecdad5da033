import type Koa from 'koa';
import { pages, type PageName } from '../../generated/console/pages.ts';
import type { SignedIn } from '../domain/identity/index.ts';
import type { Project, ProjectsService } from '../domain/projects/index.ts';
import { addressOf } from './addresses.ts';
import { NAVIGATION } from './match.ts';
import type { Views } from './views.ts';
import { NOTICES, type View } from './visit.ts';

export interface FrameParts {
  readonly views: Views;
  readonly projects: Pick<ProjectsService, 'listAccessible'>;
}

/** What the frame around a page needs to know. */
export interface Framed {
  readonly page?: PageName;
  readonly person?: SignedIn;
  readonly project?: Project;
  readonly csrf?: string;
  readonly problem?: string;
}

const SWITCHER_MAX = 100;
const TITLES: ReadonlyMap<string, string> = new Map(pages.map(({ name, title }) => [name, title]));

/** Draws a view inside the frame: navigation, the project at hand, what just happened. */
export async function draw(ctx: Koa.Context, parts: FrameParts, view: View, framed: Framed): Promise<void> {
  const { person, project, csrf, problem } = framed;
  const current = view.current ?? framed.page;
  const notice = new URLSearchParams(ctx.querystring).get('notice') ?? '';
  const mine =
    person && (await parts.projects.listAccessible({ accountId: person.account.id }, { limit: SWITCHER_MAX }));
  const html = parts.views.render(view.view, {
    ...view.data,
    title: view.title,
    person: person && { email: person.account.email },
    project: project && { id: project.id, name: project.name, slug: project.slug },
    projectId: project?.id ?? '',
    projects: mine?.projects.map(({ id, name }) => ({ id, name, isCurrent: id === project?.id })) ?? [],
    navigation: person ? navigationOf(current, project) : [],
    csrf,
    problem,
    notice: Object.hasOwn(NOTICES, notice) ? Reflect.get(NOTICES, notice) : undefined,
    refreshSeconds: view.refreshSeconds,
  });
  ctx.status = view.status ?? 200;
  ctx.set('content-type', 'text/html; charset=utf-8');
  ctx.body = html;
}

function navigationOf(current: PageName | undefined, project: Project | undefined) {
  return NAVIGATION.map(({ title, pages: names }) => ({
    title,
    entries: names.map((name) => ({
      title: TITLES.get(name) ?? name,
      address: addressOf(name, { projectId: project?.id }),
      isCurrent: name === current,
    })),
  }));
}
