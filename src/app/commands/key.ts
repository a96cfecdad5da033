import type { ApiKey } from '../../domain/identity/index.ts';
import { DAY_MS } from '../../kernel/duration.ts';
import { AppError } from '../../kernel/errors.ts';
import { table, type Terminal } from '../../kernel/terminal.ts';
import { chooseAccount, withServices } from './operate.ts';

export interface CreateKeyOptions {
  readonly terminal: Terminal;
  readonly name: string;
  readonly project?: string;
  readonly account?: string;
  readonly readOnly?: true;
  readonly expires?: string;
  readonly allowIp?: readonly string[];
  readonly json?: true;
}

export async function createKey(options: CreateKeyOptions): Promise<void> {
  const { terminal, name, allowIp = [], json } = options;
  const { key, secret } = await withServices(async ({ accounts, apiKeys, projects, clock }) => {
    const project = options.project === undefined ? undefined : await projects.getByReference(options.project);
    const account = await chooseAccount(accounts, options.account);
    return apiKeys.create({
      accountId: account.id,
      name,
      permissions: { read: true, write: options.readOnly !== true },
      allowedIps: allowIp,
      ...(project !== undefined && { projectId: project.id }),
      ...(options.expires !== undefined && {
        expiresAt: new Date(clock.now().getTime() + days(options.expires) * DAY_MS),
      }),
    });
  });
  if (json === true) terminal.out(JSON.stringify({ ...toJson(key), key: secret }));
  else terminal.out(`${secret}\n\nKeep it now: it is shown this once. Id ${key.id}, ${scopeOf(key)}.`);
}

export async function listKeys(options: {
  readonly terminal: Terminal;
  readonly project?: string;
  readonly json?: true;
}): Promise<void> {
  const { terminal, project: reference, json } = options;
  const keys = await withServices(async ({ apiKeys, projects }) => {
    const project = reference === undefined ? undefined : await projects.getByReference(reference);
    return apiKeys.list(project === undefined ? {} : { projectId: project.id });
  });
  if (json === true) {
    terminal.out(JSON.stringify(keys.map(toJson)));
    return;
  }
  const rows = keys.map((key) => [key.id, key.prefix, stateOf(key), permissionsOf(key), scopeOf(key), key.name]);
  const head = ['ID', 'PREFIX', 'STATE', 'MAY', 'SCOPE', 'NAME'];
  terminal.out(rows.length === 0 ? 'There is no key yet.' : table([head, ...rows]));
}

export async function revokeKey(options: {
  readonly terminal: Terminal;
  readonly reference: string;
  readonly json?: true;
}): Promise<void> {
  const { terminal, reference, json } = options;
  const key = await withServices(({ apiKeys }) => apiKeys.revoke(reference));
  if (json === true) terminal.out(JSON.stringify(toJson(key)));
  else terminal.out(`Revoked ${key.prefix}… (${key.name}). Running servers refuse it within two seconds.`);
}

function days(text: string): number {
  const value = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (value > 0 && value <= 3_650) return value;
  throw new AppError('invalid_input', '--expires takes a whole number of days from 1 to 3650.');
}

function toJson(key: ApiKey) {
  return {
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    project_id: key.projectId ?? null,
    permissions: permissionsOf(key).split(','),
    allowed_ips: key.allowedIps,
    expires_at: key.expiresAt?.toISOString() ?? null,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
  };
}

function permissionsOf(key: ApiKey): string {
  return Object.entries(key.permissions)
    .filter(([, granted]) => granted)
    .map(([name]) => name)
    .join(',');
}

function scopeOf(key: ApiKey): string {
  return key.projectId === undefined ? 'whole account' : `project ${key.projectId}`;
}

function stateOf(key: ApiKey): string {
  if (key.revokedAt !== undefined) return 'revoked';
  return key.expiresAt === undefined ? 'live' : `until ${key.expiresAt.toISOString().slice(0, 10)}`;
}
