import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setUpFirst } from '../domain/projects/index.ts';
import { newId } from '../kernel/ids.ts';
import type { Services } from './services.ts';

const FIRST_EMAIL = 'owner@localhost';
const FIRST_PROJECT = 'My agent';

/** What `first-run.json` holds: enough to connect a client. */
export interface FirstRun {
  readonly url: string;
  readonly project_id: string;
  readonly key: string;
  /** Opened once, it lets the first person choose how to sign in at the Console. */
  readonly setup_url?: string;
}

/**
 * On an empty store: makes account, project and key, and keeps the key in `DATA_DIR/first-run.json`, readable by the
 * owner alone. Elsewhere: nothing.
 */
export async function firstRun(
  services: Pick<Services, 'db' | 'accounts' | 'apiKeys' | 'projects' | 'config' | 'sessions' | 'addresses'>,
  url: string,
): Promise<FirstRun | undefined> {
  const file = firstRunFile(services.config);
  const things = await setUpFirst(services, {
    email: FIRST_EMAIL,
    projectName: FIRST_PROJECT,
    keep: ({ project, secret }) => writePrivately(file, { url, project_id: project.id, key: secret }),
  });
  if (things === undefined) return undefined;
  const { token } = await services.sessions.issueLink(things.account.id, 'first_run');
  const note = {
    url,
    project_id: things.project.id,
    key: things.secret,
    setup_url: passwordLink(services.addresses, token),
  };
  await writePrivately(file, note);
  return note;
}

/** Keeps the note's addresses right when the server is started elsewhere later; a missing or foreign file stays as it is. */
export async function updateFirstRunUrl({ config, addresses }: Pick<Services, 'config' | 'addresses'>): Promise<void> {
  const note = await readFirstRun(config);
  const url = addresses.mcpUrl;
  if (note === undefined || note.url === url) return;
  const token = note.setup_url === undefined ? null : new URL(note.setup_url).searchParams.get('token');
  const setup = token === null ? {} : { setup_url: passwordLink(addresses, token) };
  await writePrivately(firstRunFile(config), { ...note, url, ...setup });
}

/** The address at which the holder of the token sets a password. */
export function passwordLink({ frontendUrl }: Pick<Services['addresses'], 'frontendUrl'>, token: string): string {
  return `${frontendUrl.replace(/\/$/, '')}/setup?token=${token}`;
}

export function firstRunFile(config: Services['config']): string {
  return join(config.dataDir, 'first-run.json');
}

async function readFirstRun(config: Services['config']): Promise<FirstRun | undefined> {
  const text = await readFile(firstRunFile(config), 'utf8').catch(() => undefined);
  const value: unknown = text === undefined ? undefined : parse(text);
  if (typeof value !== 'object' || value === null) return undefined;
  if (!('url' in value) || !('project_id' in value) || !('key' in value)) return undefined;
  const { url, project_id: projectId, key } = value;
  if (typeof url !== 'string' || typeof projectId !== 'string' || typeof key !== 'string') return undefined;
  const setup = 'setup_url' in value && typeof value.setup_url === 'string' && URL.canParse(value.setup_url);
  return { url, project_id: projectId, key, ...(setup && { setup_url: String(value.setup_url) }) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whole or not at all, on disk before the rename, and never for a moment readable by others. */
async function writePrivately(file: string, note: FirstRun): Promise<void> {
  await mkdir(join(file, '..'), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${newId()}`;
  try {
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(`${JSON.stringify(note, null, 2)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } finally {
    await rm(temporary, { force: true });
  }
}
