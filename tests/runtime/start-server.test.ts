import assert from 'node:assert/strict';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  AppError,
  anyCaller,
  createLogger,
  keyAuthenticator,
  startServer,
  type CatalogContract,
  type RunningServer,
  type ServerOptions,
} from '../../src/runtime/index.ts';
import { inProject, run } from '../codegen/support-back/command.ts';

interface Caller {
  readonly name: string;
}

interface Called {
  readonly status: number;
  readonly challenge: string | null;
  readonly result?: { readonly isError?: boolean; readonly structuredContent?: unknown };
  readonly error?: { readonly data?: { readonly code?: string } };
}

/** The contract of a new project, served with handlers of this test: nothing of the product is in it. */
async function withServer(
  options: Partial<ServerOptions<Caller, never>>,
  use: (server: RunningServer, catalog: CatalogContract) => Promise<void>,
): Promise<void> {
  await inProject(async (folder) => {
    await run(folder, 'init', 'project', '--name', 'my-server');
    const { code, err } = await run(join(folder, 'project'), 'generate');
    assert.equal(code, 0, err);
    const module = pathToFileURL(join(folder, 'project/generated/catalog/index.ts')).href;
    // because the generated module exports its catalog by this name
    const { catalog } = (await import(module)) as { catalog: CatalogContract };
    const server = await startServer<Caller>({
      contract: catalog,
      handlers: { estimate_reading: echo },
      authenticate: anyCaller({ name: 'anyone' }),
      logger: createLogger({ level: 'silent' }),
      port: 0,
      ...options,
    });
    try {
      await use(server, catalog);
    } finally {
      await server.close(0);
    }
  }, new Map());
}

function echo({ text }: { readonly text: string }, caller: Caller): Promise<object> {
  if (text.trim() === '') throw new AppError('no_words', 'The text holds no word.');
  return Promise.resolve({ summary: `${caller.name} sent it.`, words: 1, reading_seconds: 1 });
}

async function call(url: string, text: string, headers: Readonly<Record<string, string>> = {}): Promise<Called> {
  const params = { name: 'estimate_reading', arguments: { text } };
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  });
  // because the test asserts on what it holds
  const body = (await response.json()) as Pick<Called, 'result' | 'error'>;
  return { status: response.status, challenge: response.headers.get('www-authenticate'), ...body };
}

describe('startServer of the runtime package', () => {
  it('serves a contract with the handlers it was given', () =>
    withServer({}, async ({ url }) => {
      const { result } = await call(url, 'Ink.');
      assert.deepEqual(result?.structuredContent, { summary: 'anyone sent it.', words: 1, reading_seconds: 1 });
      assert.equal((await call(url, ' ')).result?.isError, true);
    }));

  it('tells which contract it serves beside the protocol, and answers nowhere else', () =>
    withServer({}, async ({ url }, catalog) => {
      const health: unknown = await (await fetch(new URL('/healthz', url))).json();
      assert.deepEqual(health, {
        status: 'ok',
        name: 'my-server',
        version: '0.1.0',
        contract_hash: catalog.contractHash,
      });
      assert.equal((await fetch(new URL('/', url))).status, 404);
    }));

  it('lets callers in by key alone and hands their account to the handler', () => {
    const keys = [
      { key: 'a-long-key', subject: 'ann', permission: 'read', account: { name: 'Ann' } } as const,
      { key: 'another-key', subject: 'ben', permission: 'write', account: { name: 'Ben' } } as const,
    ];
    return withServer({ authenticate: keyAuthenticator<Caller>(keys) }, async ({ url }) => {
      const ann = await call(url, 'Ink.', { 'x-api-key': 'a-long-key' });
      assert.deepEqual(ann.result?.structuredContent, { summary: 'Ann sent it.', words: 1, reading_seconds: 1 });
      const ben = await call(url, 'Ink.', { authorization: 'Bearer another-key' });
      assert.deepEqual(ben.result?.structuredContent, { summary: 'Ben sent it.', words: 1, reading_seconds: 1 });
      const nobody = await call(url, 'Ink.');
      assert.deepEqual(
        [nobody.status, nobody.challenge, nobody.error?.data?.code],
        [401, 'Bearer', 'authentication_required'],
      );
      const stranger = await call(url, 'Ink.', { 'x-api-key': 'a-wrong-key' });
      assert.deepEqual([stranger.status, stranger.error?.data?.code], [401, 'authentication_failed']);
    });
  });

  it('counts calls where a limit is set', () =>
    withServer({ rateLimit: { points: 2, seconds: 60 } }, async ({ url }) => {
      const statuses = [];
      for (let at = 0; at < 3; at += 1) statuses.push((await call(url, 'Ink.')).status);
      assert.deepEqual(statuses, [200, 200, 429]);
    }));

  it('does not start without a handler for every tool', async () => {
    await assert.rejects(
      withServer({ handlers: {} }, () => Promise.resolve()),
      /estimate_reading/,
    );
  });
});
