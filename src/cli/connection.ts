import { readFile } from 'node:fs/promises';
import { createClient, type Client } from '../../generated/client/index.ts';
import { ToolCaller } from './tool-caller.ts';
import { UsageFault } from './usage-fault.ts';

/** What says where to go and who asks; each may come from the command line, a key file or the environment. */
export interface ConnectionOptions {
  readonly url?: string;
  readonly project?: string;
  readonly keyFile?: string;
}

/** Settings by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A server, as one credential sees it. */
export interface Connection {
  readonly origin: string;
  readonly client: Client;
  readonly tools: ToolCaller;
  readonly projectId: string;
}

const DEFAULT_URL = 'http://127.0.0.1:8000';
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Connects to the project that is named, or to the only one there is. */
export async function connect(options: ConnectionOptions, environment: Environment): Promise<Connection> {
  const file = options.keyFile === undefined ? {} : await readKeyFile(options.keyFile);
  const apiKey = file.key ?? environment['OVERMIND_API_KEY'];
  if (apiKey === undefined || apiKey === '')
    throw new UsageFault('There is no API key. Set OVERMIND_API_KEY, or name a file that holds one with --key-file.');
  const origin = originOf(options.url ?? file.url ?? environment['OVERMIND_URL'] ?? DEFAULT_URL);
  const client = createClient({ origin, apiKey });
  const named = options.project ?? file.projectId ?? environment['OVERMIND_PROJECT'];
  const projectId = await chooseProject(client, named);
  return { origin, client, projectId, tools: new ToolCaller({ origin, apiKey, projectId }) };
}

/** A key alone, or the JSON that a first start leaves behind. */
async function readKeyFile(path: string): Promise<{ key?: string; url?: string; projectId?: string }> {
  let text: string;
  try {
    text = (await readFile(path, 'utf8')).trim();
  } catch {
    throw new UsageFault(`The key file ${path} cannot be read.`);
  }
  if (!text.startsWith('{')) return { key: text };
  let value: Record<string, unknown>;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UsageFault(`The key file ${path} is neither a key nor JSON.`);
  }
  const { key, url, project_id: projectId } = value;
  return {
    ...(typeof key === 'string' && { key }),
    ...(typeof url === 'string' && { url }),
    ...(typeof projectId === 'string' && { projectId }),
  };
}

function originOf(url: string): string {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new UsageFault(`${url} is not an address like ${DEFAULT_URL}.`);
  return new URL(url).origin;
}

async function chooseProject(client: Client, named: string | undefined): Promise<string> {
  if (named !== undefined && UUID.test(named)) return named.toLowerCase();
  const projects: { readonly id: string; readonly name: string; readonly slug: string }[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await client.get_projects({ parameters: cursor === undefined ? {} : { cursor } });
    projects.push(...page.projects);
    cursor = page.next_cursor;
  }
  const wanted = named?.toLowerCase();
  const found = projects.filter(
    ({ name, slug }) => wanted === undefined || slug === wanted || name.toLowerCase() === wanted,
  );
  const [only, another] = found;
  if (only !== undefined && another === undefined) return only.id;
  if (projects.length === 0) throw new UsageFault('The key reaches no project.');
  const list = projects.map(({ id, slug }) => `  ${id}  ${slug}`).join('\n');
  throw new UsageFault(
    `${named === undefined ? 'The key reaches several projects' : `No one project is called ${named}`}; name one with --project or OVERMIND_PROJECT:\n${list}`,
  );
}
