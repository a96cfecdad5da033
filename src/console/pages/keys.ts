import type { PageHandlers } from '../../../generated/console/pages.ts';
import type { ApiKey, ApiKeysService } from '../../domain/identity/index.ts';
import type { ProjectsService } from '../../domain/projects/index.ts';
import type { Clock } from '../../kernel/clock.ts';
import { DAY_MS } from '../../kernel/duration.ts';
import { AppError } from '../../kernel/errors.ts';
import { addressOf } from '../addresses.ts';
import type { Form } from '../form.ts';
import type { Answer, PersonVisit, Visits } from '../visit.ts';

export interface KeyPagesParts {
  readonly apiKeys: ApiKeysService;
  readonly projects: ProjectsService;
  readonly clock: Clock;
  readonly mcpUrl: string;
}

const LISTED = 100;

export function keyPages(parts: KeyPagesParts): Pick<PageHandlers<Visits, Answer>, 'keys'> {
  const { apiKeys, projects, clock } = parts;
  return {
    keys: {
      async show(visit) {
        const { person, project, form } = visit;
        const filter = project === undefined ? { accountId: person.account.id } : { projectId: project.id };
        const mine = await projects.listAccessible({ accountId: person.account.id }, { limit: LISTED });
        const names = new Map(mine.projects.map(({ id, name }) => [id, name]));
        const now = clock.now();
        const rows = (await apiKeys.list(filter)).toReversed();
        return {
          view: 'keys',
          title: 'API keys',
          data: {
            keys: rows.map((key) => ({
              ...key,
              scope:
                key.projectId === undefined ? 'All your projects' : (names.get(key.projectId) ?? 'Another project'),
              may: key.permissions.write ? (key.permissions.read ? 'Read and write' : 'Write') : 'Read',
              state: stateOf(key, now),
              isLive: stateOf(key, now) === 'Live',
            })),
            choices: mine.projects.map(({ id, name }) => ({ id, name, isChosen: id === project?.id })),
            entered: { name: form.text('name'), ips: form.text('ips'), days: form.text('days') },
          },
        };
      },
      actions: {
        async create(visit) {
          const { key, secret } = await apiKeys.create(newKey(parts, visit));
          return {
            view: 'key-made',
            title: 'Your new key',
            data: { key, secret, mcpUrl: parts.mcpUrl },
          };
        },
        async revoke({ person, project, form }) {
          await apiKeys.revokeFor(person.account.id, form.text('key'));
          return { to: addressOf('keys', { projectId: project?.id }), notice: 'key_revoked' };
        },
      },
    },
  };
}

function newKey({ clock }: KeyPagesParts, { person, form }: PersonVisit): Parameters<ApiKeysService['create']>[0] {
  const projectId = form.text('scope');
  const access = form.text('access');
  const days = daysOf(form);
  return {
    accountId: person.account.id,
    name: plainName(form.text('name')),
    permissions: { read: access !== 'write', write: access === 'write' || access === 'read_write' },
    allowedIps: form
      .text('ips')
      .split(/[\s,]+/)
      .filter((range) => range !== ''),
    ...(projectId !== '' && { projectId }),
    ...(days !== undefined && { expiresAt: new Date(clock.now().getTime() + days * DAY_MS) }),
  };
}

function plainName(text: string): string {
  if (!/\p{Cc}/u.test(text)) return text;
  throw new AppError('invalid_input', 'The name of a key has no control characters.', {
    fields: { name: 'has control characters' },
  });
}

function daysOf(form: Form): number | undefined {
  const text = form.text('days').trim();
  if (text === '') return undefined;
  const days = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (days >= 1 && days <= 3_650) return days;
  throw new AppError('invalid_input', 'A key expires after 1 to 3650 days, or never when the field is empty.');
}

function stateOf(key: ApiKey, now: Date): string {
  if (key.revokedAt !== undefined) return 'Revoked';
  return key.expiresAt !== undefined && key.expiresAt.getTime() <= now.getTime() ? 'Expired' : 'Live';
}
