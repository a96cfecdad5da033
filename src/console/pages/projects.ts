import type { PageHandlers } from '../../../generated/console/pages.ts';
import type { ApiKeysService } from '../../domain/identity/index.ts';
import type { Observability } from '../../domain/observability/index.ts';
import type { Invitations, ProjectsService } from '../../domain/projects/index.ts';
import { addressOf } from '../addresses.ts';
import type { Answer, ProjectVisit, View, Visits } from '../visit.ts';

export interface ProjectPagesParts {
  readonly projects: ProjectsService;
  readonly invitations: Invitations;
  readonly apiKeys: ApiKeysService;
  readonly observability: Observability;
  /** Start of the addresses of the Console, for links that are handed on. */
  readonly frontendUrl: string;
}

const LISTED = 100;
const RECENT = 5;
const OVERVIEW_DAYS = 7;
const BY_START = { key: 'start_time_ns', descending: true } as const;

export function projectPages(
  parts: ProjectPagesParts,
): Pick<PageHandlers<Visits, Answer>, 'home' | 'projects' | 'settings'> {
  const { projects } = parts;
  const list = async (accountId: string) => (await projects.listAccessible({ accountId }, { limit: LISTED })).projects;
  return {
    home: {
      async show({ person, project }) {
        if (project !== undefined) return overview(parts, project.id);
        const mine = await list(person.account.id);
        const [only, another] = mine;
        if (only !== undefined && another === undefined) return { to: addressOf('home', { projectId: only.id }) };
        return { view: 'home', title: 'Your projects', data: { list: mine } };
      },
    },
    projects: {
      async show({ person, form }) {
        return {
          view: 'projects',
          title: 'Projects',
          data: { list: await list(person.account.id), name: form.text('name'), slug: form.text('slug') },
        };
      },
      actions: {
        async create({ person, form }) {
          const slug = form.text('slug').trim();
          const project = await projects.create({
            accountId: person.account.id,
            name: form.text('name'),
            ...(slug !== '' && { slug }),
          });
          return { to: addressOf('home', { projectId: project.id }), notice: 'created' };
        },
      },
    },
    settings: {
      show: (visit) => settings(parts, visit),
      actions: {
        async rename({ project, form }) {
          await projects.rename(project.id, form.text('name'));
          return { to: addressOf('settings', { projectId: project.id }), notice: 'renamed' };
        },
        invite: (visit) => invite(parts, visit),
        async remove_member({ project, person, form }) {
          await projects.removeMemberUnlessLast(project.id, form.text('member'));
          const left = form.text('member') === person.account.id;
          return left
            ? { to: '/projects', notice: 'member_removed' }
            : { to: addressOf('settings', { projectId: project.id }), notice: 'member_removed' };
        },
        async deactivate({ project }) {
          await projects.setActive(project.id, false);
          return { to: '/projects', notice: 'deactivated' };
        },
      },
    },
  };
}

async function overview(parts: ProjectPagesParts, projectId: string): Promise<View> {
  const { health, traces } = parts.observability;
  const [found, recent, keys] = await Promise.all([
    health.inspect(projectId, { days: OVERVIEW_DAYS }),
    traces.list(projectId, { allSpans: false, ordering: BY_START, limit: RECENT }),
    parts.apiKeys.list({ projectId }),
  ]);
  return {
    view: 'overview',
    title: 'Overview',
    data: {
      days: OVERVIEW_DAYS,
      traffic: found.health.traffic,
      errors: found.health.errors,
      models: found.health.models,
      recent: recent.rows,
      liveKeys: keys.filter(({ revokedAt }) => revokedAt === undefined).length,
    },
  };
}

async function settings({ projects }: ProjectPagesParts, { project, person, form }: ProjectVisit): Promise<View> {
  const members = await projects.members(project.id);
  return {
    view: 'settings',
    title: 'Project settings',
    data: {
      name: form.text('name') || project.name,
      slug: project.slug,
      id: project.id,
      since: project.createdAt,
      email: form.text('email'),
      members: members.map((member) => ({ ...member, isYou: member.accountId === person.account.id })),
      isShared: members.length > 1,
    },
  };
}

async function invite({ invitations, frontendUrl }: ProjectPagesParts, visit: ProjectVisit): Promise<View> {
  const { member, link } = await invitations.invite(visit.project.id, visit.form.text('email'));
  const { email } = member;
  if (link === undefined) return { view: 'invited', title: 'Member added', data: { email } };
  const { token, expiresAt } = link;
  const secretLink = `${frontendUrl.replace(/\/$/, '')}${addressOf('password_link', { token })}`;
  return { view: 'invited', title: 'Invitation', data: { email, secretLink, expiresAt } };
}
