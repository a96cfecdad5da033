import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { createClient, type Client } from '../../generated/client/index.ts';
import type { ErrorCode, ToolContracts, ToolName } from '../../generated/contracts/index.ts';
import { jobPolicies } from '../../generated/contracts/job-policies.ts';
import type { Services } from '../../src/app/services.ts';
import type { Account, NewApiKey } from '../../src/domain/identity/index.ts';
import type { Project } from '../../src/domain/projects/index.ts';
import { newId } from '../../src/kernel/ids.ts';
import { Worker } from '../../src/workers/index.ts';
import { beforeClosing } from './boot.ts';
import type { ToolWorld } from './describe-tool.ts';
import { rpc, sharedServer, type Era, type TestServer } from './mcp.ts';

type KeyOptions = Partial<Pick<NewApiKey, 'permissions' | 'allowedIps' | 'expiresAt'>>;

export interface AccountOptions {
  readonly server?: TestServer;
}

export interface ProjectOptions extends KeyOptions {
  readonly server?: TestServer;
  readonly name?: string;
  readonly slug?: string;
  /** The first member; a new account otherwise. */
  readonly account?: Account;
}

/** A caller with one key: sends what an agent would send, over HTTP. */
export class Caller implements ToolWorld {
  readonly server: TestServer;
  readonly services: Services;
  readonly account: Account;
  readonly key: string;

  constructor(server: TestServer, account: Account, key: string) {
    this.server = server;
    this.services = server.services;
    this.account = account;
    this.key = key;
  }

  /** Calls a tool and gives its output. `args` of an account caller hold the project too. */
  async call<N extends ToolName>(
    name: N,
    args: ToolContracts[N]['call'] & { readonly project_id?: string },
  ): Promise<ToolContracts[N]['output']> {
    const result = await this.#result('tools/call', { name, arguments: args });
    assert.notEqual(result['isError'], true, `${name} failed: ${JSON.stringify(result['content'])}`);
    // because the server validates every output against the contract this type is made from
    return result['structuredContent'] as ToolContracts[N]['output'];
  }

  /** Calls a tool with anything at all and asserts which error it answers. */
  async refuses(
    name: ToolName,
    args: object,
    expected: { readonly code: ErrorCode; readonly fields?: Readonly<Record<string, unknown>> },
  ): Promise<void> {
    const error = await this.refusal(name, args);
    assert.equal(error.code, expected.code, error.message);
    if (expected.fields !== undefined) assert.deepEqual(error.fields, expected.fields);
  }

  /** Calls a tool with anything at all and gives its error; a success fails the test. */
  async refusal(name: ToolName, args: object): Promise<ToolError> {
    const result = await this.#result('tools/call', { name, arguments: args });
    assert.equal(result['isError'], true, `${name} must fail, and answered ${JSON.stringify(result['content'])}`);
    return errorOf(result);
  }

  /** Reads a resource and gives its payload. */
  async read(uri: string): Promise<Readonly<Record<string, unknown>>> {
    const result = await this.#result('resources/read', { uri });
    // because a read answers exactly one text, as the assertion on it shows
    const contents = result['contents'] as readonly { readonly text: string; readonly mimeType: string }[];
    assert.equal(contents.length, 1);
    return JSON.parse(contents[0]?.text ?? '');
  }

  /** Reads a resource and asserts which error of the contract that answers. */
  async refusesRead(uri: string, code: ErrorCode): Promise<void> {
    const { error } = await this.rpc('resources/read', { uri });
    assert.equal(error?.data?.['code'], code, `reading ${uri} must answer ${code}, not ${JSON.stringify(error)}`);
  }

  rpc(method: string, params: Readonly<Record<string, unknown>> = {}, era: Era = 'legacy') {
    return rpc(this.server.origin, { key: this.key, method, params, era });
  }

  async #result(method: string, params: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>> {
    const { status, result, error } = await this.rpc(method, params);
    assert.ok(result !== undefined, `${method} answered ${status} ${JSON.stringify(error)}`);
    return result;
  }
}

/** A project with one member and one key that is limited to it. */
export class World extends Caller {
  readonly project: Project;

  constructor(server: TestServer, account: Account, key: string, project: Project) {
    super(server, account, key);
    this.project = project;
  }

  /** The same person with a key for the whole account. */
  async withAccountKey(options: KeyOptions = {}): Promise<Caller> {
    return new Caller(
      this.server,
      this.account,
      await makeKey(this.services, { accountId: this.account.id, ...options }),
    );
  }

  /** The typed client of the REST API, with the key of this world. */
  client(): Client {
    return createClient({ origin: this.server.origin, apiKey: this.key });
  }

  /** Background work goes on from now. */
  work(): void {
    startWorkers(this.server);
  }

  /** Runs background work until this job will not change by itself, and gives its last state. */
  async finishJob({ kind, id }: { readonly kind: string; readonly id: string }): Promise<GetJob['output']> {
    startWorkers(this.server);
    // because a receipt's kind is one of the contract's kinds
    const args = { kind, id } as GetJob['call'];
    for (;;) {
      const job = await this.call('get_job', args);
      if (job.final) return job;
      await wait(40);
    }
  }
}

type GetJob = ToolContracts['get_job'];

export interface ToolError {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly fields: Readonly<Record<string, unknown>>;
}

export const given = {
  /** A person with a key for everything of theirs, and no project yet. */
  async account(options: AccountOptions & KeyOptions = {}): Promise<Caller> {
    const { server = await sharedServer(), ...key } = options;
    const account = await server.services.accounts.create({ email: `${newId()}@example.com` });
    return new Caller(server, account, await makeKey(server.services, { accountId: account.id, ...key }));
  },

  /** A new world: nothing in it can see another one. */
  async project(options: ProjectOptions = {}): Promise<World> {
    const { server = await sharedServer(), name = 'Support agent', slug, account, ...key } = options;
    const { accounts, projects } = server.services;
    const member = account ?? (await accounts.create({ email: `${newId()}@example.com` }));
    const project = await projects.create({ accountId: member.id, name, ...(slug !== undefined && { slug }) });
    const secret = await makeKey(server.services, { accountId: member.id, projectId: project.id, ...key });
    return new World(server, member, secret, project);
  },
};

async function makeKey(
  { apiKeys }: Services,
  options: KeyOptions & Pick<NewApiKey, 'accountId' | 'projectId'>,
): Promise<string> {
  const { secret } = await apiKeys.create({ name: 'tests', permissions: { read: true, write: true }, ...options });
  return secret;
}

function errorOf(result: Readonly<Record<string, unknown>>): ToolError {
  // because an error result holds the error object as the text of its only content item
  const [item, ...others] = result['content'] as readonly { readonly type: string; readonly text: string }[];
  assert.deepEqual(others, []);
  const { error } = JSON.parse(item?.text ?? '{}') as { error: ToolError };
  return error;
}

const working = new WeakSet<TestServer>();

/** One worker for each instance of the server, from the first test that needs one. */
function startWorkers(server: TestServer): void {
  if (working.has(server)) return;
  working.add(server);
  for (const { services, product } of server.instances) {
    const worker = new Worker({
      db: services.db,
      delivery: services.delivery,
      logger: services.logger,
      handlers: product.jobs.handlers,
      policies: jobPolicies,
      onFailed: product.jobs.onFailed,
      isRetryable: (code) => product.contract.errors[code]?.retryable === true,
      settings: { concurrency: 2, pollMs: 100, retryBaseMs: 50 },
    });
    worker.start();
    beforeClosing(() => worker.stop(1_000));
  }
}
