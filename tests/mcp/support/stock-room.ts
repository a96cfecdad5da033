import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import Koa from 'koa';
import { AppError } from '../../../src/kernel/errors.ts';
import { createLogger } from '../../../src/kernel/logger.ts';
import { compileUriTemplate } from '../../../src/kernel/uri-template.ts';
import { createMcp, type Mcp } from '../../../src/mcp/create-mcp.ts';
import type { McpOptions } from '../../../src/mcp/options.ts';
import type { IdempotencyStore, ReplayAnswer } from '../../../src/kernel/replay.ts';
import type { AuditEntry, Authentication, JobState } from '../../../src/mcp/ports.ts';
import { stockContract } from './contract.ts';

export interface Account {
  readonly subject: string;
  readonly signal: () => AbortSignal;
}

export interface Project {
  readonly id: string;
  readonly account: Account;
}

const KEYS: Readonly<Record<string, { subject: string; project?: string; read: boolean; write: boolean }>> = {
  'key-account': { subject: 'ada', read: true, write: true },
  'key-project-a': { subject: 'ada', project: 'project-a', read: true, write: true },
  'key-project-b': { subject: 'bob', project: 'project-b', read: true, write: true },
  'key-reader': { subject: 'eve', project: 'project-a', read: true, write: false },
  'key-writer': { subject: 'wim', project: 'project-a', read: false, write: true },
};
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  ada: ['project-a', 'project-c'],
  bob: ['project-b'],
  eve: ['project-a'],
  wim: ['project-a'],
};

export const ITEM_URI = compileUriTemplate('stock://items/{item}');
/** A secret that must never show up in an answer or a log line. */
export const CANARY = 'sk_live_51H8abcdEFGHijkl';

/** What the room holds and what happened in it. */
export class StockRoom {
  readonly items = new Map<string, { id: string; name: string; note?: string; extra?: Record<string, unknown> }>();
  readonly created: string[] = [];
  readonly audit: AuditEntry[] = [];
  readonly refused: string[] = [];
  readonly deprecatedUses: string[] = [];
  readonly log: string[] = [];
  readonly jobs = new Map<string, JobState & { projectId: string }>();
  aborted = 0;
  /** Calls that stand still until their client leaves. */
  waiting = 0;
  handled = 0;

  readonly handlers = {
    whoami: async ({ delay_ms: delayMs }: { delay_ms: number }, context: Project) => {
      if (delayMs > 0) await wait(delayMs);
      return { project_id: context.id, subject: context.account.subject };
    },
    list_workspaces: async (_input: unknown, context: Account) => ({ subject: context.subject }),
    list_items: async (input: Record<string, unknown>) => {
      this.handled += 1;
      return { summary: 'listed', echo: input, items: [...this.items.values()] };
    },
    get_item: async ({ item }: { item: string }) => {
      const found = this.items.get(item);
      if (found === undefined)
        throw new AppError('item_not_found', `No item ${JSON.stringify(item)}. List items and use an id.`);
      const link = { uri: ITEM_URI.expand({ item }), title: 'The item', mimeType: 'application/json' };
      const others = [
        { ...link, title: 'Again' },
        { uri: 'https://elsewhere.example/x', title: 'Foreign', mimeType: 'application/json' },
      ];
      return { item: found, resource: link, resource_links: others };
    },
    create_item: async ({ name }: { name: string }) => {
      if (name === 'refused') throw new AppError('item_invalid', 'That name is refused.');
      this.created.push(name);
      const id = `item-${this.created.length}`;
      return { id, resource: { uri: ITEM_URI.expand({ item: id }), title: name, mimeType: 'application/json' } };
    },
    start_import: async (_input: unknown, context: Project) => {
      const id = `job-${this.jobs.size + 1}`;
      const now = new Date();
      this.jobs.set(id, { status: 'running', createdAt: now, updatedAt: now, output: {}, projectId: context.id });
      return {
        job: {
          kind: 'import_run',
          id,
          status: 'queued',
          resource: { uri: `stock://jobs/${id}`, title: 'Import', mimeType: 'application/json' },
        },
      };
    },
    linger: async ({ breaks }: { breaks: boolean }, context: Project) => {
      const signal = context.account.signal();
      this.waiting += 1;
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      this.waiting -= 1;
      if (!breaks) signal.throwIfAborted();
      throw new TypeError('broken while stopping');
    },
    misbehave: ({ how }: { how: string }, context: Project) => this.#misbehave(how, context),
    old_lookup: async () => ({ ok: true }),
    ancient_lookup: async () => ({ ok: true }),
    regional: async ({ region }: { region?: string }) => ({ region: region ?? 'none' }),
  };

  readonly readers = {
    item: async ({ item, period }: { item: string; period?: string }, context: Project) => {
      if (item === 'explode') throw new Error(`select * from items where key = '${CANARY}' at /srv/app/items.ts:12`);
      const found = this.items.get(item);
      if (found === undefined || (found.name === 'of project b' && context.id !== 'project-b'))
        throw new AppError('item_not_found', `no ${item}`);
      const uri = ITEM_URI.expand({ item });
      return {
        uri,
        item: found,
        resource: { uri, title: 'Self', mimeType: 'application/json' },
        ...(period === undefined ? {} : { period }),
      };
    },
  };

  readonly completers = {
    item: async (value: string, context: Project) => {
      if (value === 'explode') throw new Error(CANARY);
      return [...this.items.keys()].filter((id) => id.startsWith(value)).map((id) => `${id} in ${context.id}`);
    },
  };

  async #misbehave(how: string, context: Project): Promise<Record<string, unknown>> {
    switch (how) {
      case 'leak': {
        const error = new Error(
          `insert into items values ($1) - relation "items" at /srv/app/items.ts:42 key ${CANARY}`,
        );
        Object.assign(error, {
          config: { headers: { authorization: `Bearer ${CANARY}` } },
          client: { nested: { token: CANARY } },
        });
        throw error;
      }
      case 'undeclared':
        throw new AppError('item_not_found', 'Not declared by this tool.');
      case 'unknown_code':
        throw new AppError('never_heard_of', 'Not in the vocabulary.');
      case 'secret_error':
        throw new AppError('item_invalid', `The provider said: 401 key ${CANARY} rejected`, {
          fields: { authorization: `Bearer ${CANARY}`, total_tokens: 7 },
        });
      case 'bad_output':
        return { ok: 'yes', [CANARY]: 1 };
      case 'huge':
        return { ok: true, blob: 'x'.repeat(2_000_000) };
      default: {
        const signal = context.account.signal();
        await new Promise<void>((resolve) => {
          signal.addEventListener('abort', () => {
            this.aborted += 1;
            resolve();
          });
        });
        return { ok: true };
      }
    }
  }

  options(overrides: Partial<McpOptions<Account, Project>> = {}): McpOptions<Account, Project> {
    return {
      contract: stockContract(),
      handlers: this.handlers,
      readers: this.readers,
      completers: this.completers,
      stateKey: Buffer.alloc(32, 7),
      guards: { allowedHosts: ['localhost', '127.0.0.1'], allowedOrigins: ['https://app.example'] },
      ports: {
        authenticate: (call): Authentication<Account> => {
          const known = call.credential === undefined ? undefined : KEYS[call.credential.token];
          if (known === undefined) {
            const code = call.credential === undefined ? 'authentication_required' : 'authentication_failed';
            return {
              denial: {
                status: 401,
                code,
                message: 'Send a live credential.',
                challenge: 'Bearer resource_metadata="https://stock.example/prm"',
              },
            };
          }
          const { subject, project, read, write } = known;
          return {
            principal: {
              account: { subject, signal: () => call.signal },
              subject,
              credentialId: `credential-of-${subject}`,
              permissions: { read, write },
              ...(project === undefined ? {} : { projectId: project }),
            },
          };
        },
        resolveProject: async (principal, id) =>
          MEMBERS[principal.subject]?.includes(id) === true
            ? { id, context: { id, account: principal.account } }
            : undefined,
        audit: { record: (entry) => void this.audit.push(entry) },
        metrics: {
          operation: () => undefined,
          refused: (status, reason) => void this.refused.push(`${status} ${reason}`),
          deprecated: (_kind, name, how) => void this.deprecatedUses.push(`${name} ${how}`),
        },
        clock: { now: () => new Date('2026-11-30T00:00:00Z') },
        logger: createLogger({ level: 'debug', write: (line) => void this.log.push(line) }),
        idempotency: memoryStore(),
        jobs: {
          find: async (principal, job) => {
            const state = this.jobs.get(job.id);
            return state !== undefined && MEMBERS[principal.subject]?.includes(state.projectId) === true
              ? state
              : undefined;
          },
        },
      },
      ...overrides,
    };
  }
}

/** Keeps outcomes for as long as the test runs. */
function memoryStore(): IdempotencyStore {
  const kept = new Map<string, { digest: string; output?: unknown; done: boolean }>();
  return {
    claim: async ({ subject, projectId, tool, requestKey, digest }): Promise<ReplayAnswer> => {
      const key = JSON.stringify([subject, projectId, tool, requestKey]);
      const before = kept.get(key);
      if (before === undefined) {
        const entry = { digest, done: false, output: undefined as unknown };
        kept.set(key, entry);
        return {
          state: 'claimed',
          claim: {
            run: (work) => work(),
            complete: async (outcome) => {
              entry.output = outcome.output;
              entry.done = true;
            },
            release: async () => void kept.delete(key),
          },
        };
      }
      if (before.digest !== digest) return { state: 'conflict' };
      return before.done ? { state: 'completed', outcome: { output: before.output } } : { state: 'running' };
    },
  };
}

export interface RunningRoom {
  readonly room: StockRoom;
  readonly url: string;
  readonly port: number;
  readonly mcp: Mcp;
  close(): Promise<void>;
}

/** Serves the room over real HTTP. */
export async function openRoom(
  overrides: Partial<McpOptions<Account, Project>> = {},
  room = new StockRoom(),
): Promise<RunningRoom> {
  const mcp = createMcp(room.options(overrides));
  const app = new Koa();
  const answer = app.callback();
  const server: Server = createServer(mcp.inFrontOf((request, response) => void answer(request, response)));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  // because a TCP server's address is an object
  const { port } = server.address() as AddressInfo;
  return {
    room,
    port,
    url: `http://127.0.0.1:${port}/api/mcp`,
    mcp,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      await mcp.close();
    },
  };
}
