import type { Logger } from '../kernel/logger.ts';
import { AppError } from '../kernel/errors.ts';
import { Catalog, requirePermission } from './catalog.ts';
import { Completion } from './completion.ts';
import type { ToolContract } from './contract.ts';
import { Deadlines } from './deadline.ts';
import type { Exchange, Operation } from './exchange.ts';
import type { ExtensionPrompt, Extensions, ExtensionTool, InputRequest, RawCall } from './extensions.ts';
import { ContractFault, Faults } from './faults.ts';
import { identityOf, instructionsOf, type ServerIdentity } from './instructions.ts';
import { Lifecycle } from './lifecycle.ts';
import { Listings, type Listing, type ListMethod } from './listings.ts';
import type { McpOptions } from './options.ts';
import type { Denial, OperationKind, Principal } from './ports.ts';
import { ProjectGate } from './projects.ts';
import { Prompts } from './prompts.ts';
import { isObject, RPC, RpcError, TASKS_EXTENSION, type Era } from './protocol.ts';
import { Recorder } from './record.ts';
import { Resources } from './resources.ts';
import { errorAnswer, toResultObject, type ToolAnswer } from './result.ts';
import { declaresTasks, describeTask, Tasks, tasksNeeded, type TaskMethod } from './tasks.ts';
import { createRedactor } from '../kernel/redact.ts';
import { monotonicMs } from '../kernel/clock.ts';

const DEFAULT_MAX_RESULT_LENGTH = 1024 * 1024;

interface Wanted {
  readonly kind: 'tool' | 'resource' | 'prompt';
  readonly name: string;
  readonly permission: 'read' | 'write';
}

/**
 * One function per protocol method, without a word of any SDK. Both legs and the fast lane answer through it, so
 * they cannot disagree. Functions throw `RpcError`, or `ContractFault` under `strictErrors`, and nothing else.
 */
export class Dispatcher<A, P> {
  readonly identity: ServerIdentity;
  readonly instructions: string;
  readonly contractHash: string;
  readonly #catalog: Catalog<A, P>;
  readonly #listings: Listings<A>;
  readonly #resources: Resources<A, P>;
  readonly #prompts: Prompts;
  readonly #completion: Completion<A, P>;
  readonly #tasks: Tasks<A>;
  readonly #faults: Faults;
  readonly #recorder: Recorder;
  readonly #logger: Logger;
  readonly #extensions: Extensions<A>;
  readonly #extensionTools: ReadonlyMap<string, ExtensionTool<A>>;
  readonly #publishesSchemas: boolean;

  constructor(options: McpOptions<A, P>) {
    const { contract, ports } = options;
    const publishOutputSchema = options.publishOutputSchema ?? 'compact';
    const prefix = `${contract.server.uriScheme}://`;
    const redactor = options.redactor ?? createRedactor();
    const lifecycle = new Lifecycle(ports.clock, ports.metrics);
    const faults = new Faults(contract, redactor);
    const recorder = new Recorder(ports);
    const projects = new ProjectGate<A, P>(ports.resolveProject, faults.describe('project_required')?.recovery ?? '');
    const maxResultLength = options.maxResultLength ?? DEFAULT_MAX_RESULT_LENGTH;
    const shared = {
      contract,
      faults,
      recorder,
      deadlines: new Deadlines(),
      projects,
      lifecycle,
      logger: ports.logger,
      redactor,
      maxResultLength,
      isLinkUri: (uri: string) => uri.startsWith(prefix),
    };
    this.identity = identityOf(contract);
    this.instructions = instructionsOf(contract);
    this.contractHash = contract.contractHash;
    this.#extensions = options.extensions ?? {};
    this.#extensionTools = new Map((this.#extensions.tools ?? []).map((tool) => [tool.definition.name, tool]));
    this.#publishesSchemas = publishOutputSchema !== 'none';
    this.#faults = faults;
    this.#recorder = recorder;
    this.#logger = ports.logger;
    this.#catalog = new Catalog<A, P>({
      ...shared,
      handlers: options.handlers,
      idempotency: ports.idempotency,
      publishesSchemas: this.#publishesSchemas,
      strictErrors: options.strictErrors ?? false,
    });
    this.#listings = new Listings<A>({
      contract,
      lifecycle,
      extensions: this.#extensions,
      publishOutputSchema,
      serverInfo: JSON.stringify(this.identity),
    });
    this.#resources = new Resources<A, P>({ ...shared, readers: options.readers });
    this.#prompts = new Prompts(shared);
    this.#completion = new Completion<A, P>({ ...shared, completers: options.completers });
    this.#tasks = new Tasks<A>({
      contract,
      jobs: ports.jobs,
      extension: this.#extensions.tasks,
      faults,
      recorder,
      clock: ports.clock,
    });
  }

  capabilities(era: Era): Record<string, unknown> {
    const { logging, subscriptions, listChanged } = this.#extensions;
    // The modern SDK says true for whoever says nothing.
    const changes = era === 'modern' ? { listChanged: listChanged === true } : {};
    return {
      tools: changes,
      resources: era === 'legacy' && subscriptions === true ? { subscribe: true } : changes,
      prompts: changes,
      completions: {},
      ...(logging === true ? { logging: {} } : {}),
      ...(era === 'modern' && this.#tasks.served ? { extensions: { [TASKS_EXTENSION]: {} } } : {}),
    };
  }

  list(method: ListMethod, operation: Operation<A>, params: Readonly<Record<string, unknown>>): Listing {
    return this.#listings.list(method, operation.principal, operation.era, params['cursor']);
  }

  findTool(name: string): ToolContract | undefined {
    return this.#catalog.find(name);
  }

  /** Published input schema of any tool, for the header checks of the 2026 revision. */
  inputSchemaOf(name: string): Readonly<Record<string, unknown>> | undefined {
    return this.#extensionTools.get(name)?.definition.inputSchema ?? this.#catalog.find(name)?.inputSchema.project;
  }

  isExtensionTool(name: string): boolean {
    return this.#extensionTools.has(name);
  }

  /** The permission a request asks for by its name alone; undefined where its listing decides, or nothing is known. */
  wantedBy(method: unknown, params: unknown): Wanted | undefined {
    if (method === 'resources/read') return { kind: 'resource', name: method, permission: 'read' };
    if (method === 'prompts/get') return { kind: 'prompt', name: method, permission: 'read' };
    if (method !== 'tools/call' || !isObject(params)) return undefined;
    const called = String(params['name']);
    const extension = this.#extensionTools.get(called);
    if (extension !== undefined) return { kind: 'tool', name: called, permission: extension.permission };
    const tool = this.#catalog.find(called);
    return tool && { kind: 'tool', name: tool.name, permission: tool.permission };
  }

  /** Leaves the audit row of a call that ended before its operation began. */
  noteRefused(
    exchange: Exchange,
    principal: Pick<Principal<A>, 'subject' | 'credentialId'> & { readonly projectId?: string },
    { kind, name, outcome }: { readonly kind: OperationKind; readonly name: string; readonly outcome: string },
  ): void {
    this.#recorder.finish(
      { exchange, principal },
      { kind, name, startMs: monotonicMs() },
      outcome,
      principal.projectId,
    );
  }

  /** The same for a credential that is known and refused. */
  noteDenied(exchange: Exchange, { about, code }: Denial): void {
    if (about !== undefined)
      this.noteRefused(exchange, about, { kind: 'request', name: 'authenticate', outcome: code });
  }

  get hasExtensionResources(): boolean {
    return (this.#extensions.resources ?? []).length > 0;
  }

  isExtensionPrompt(name: string): boolean {
    return this.#extensionPrompt(name) !== undefined;
  }

  /** A tool of the contract. */
  callTool(operation: Operation<A>, name: string, args: Record<string, unknown>): Promise<ToolAnswer> {
    return this.#catalog.call(operation, name, args);
  }

  /** Any tool, as a result object: of the contract, as a task where the client knows tasks, or of an extension. */
  async callToolObject(
    operation: Operation<A>,
    name: string,
    args: Record<string, unknown>,
    call: RawCall<A>,
  ): Promise<Record<string, unknown>> {
    const extension = this.#extensionTools.get(name);
    if (extension !== undefined) return this.#callExtension(operation, extension, args, call);
    const answer = await this.#catalog.call(operation, name, args);
    if (operation.era === 'modern' && declaresTasks(call.clientCapabilities)) {
      const tool = this.#catalog.find(name);
      const task = tool === undefined ? undefined : this.#tasks.fromReceipt(tool, answer);
      if (task !== undefined) return task;
    }
    return toResultObject(answer);
  }

  async #callExtension(
    operation: Operation<A>,
    tool: ExtensionTool<A>,
    args: Record<string, unknown>,
    call: RawCall<A>,
  ): Promise<Record<string, unknown>> {
    if (tool.taskRequired === true && !declaresTasks(call.clientCapabilities)) throw tasksNeeded();
    return this.#guard(
      operation,
      { kind: 'tool', name: tool.definition.name, permission: tool.permission },
      async () => {
        const result = await tool.run(args, call);
        if ('task' in result) return { resultType: 'task', ...describeTask(result.task) };
        return 'inputRequests' in result ? inputRequired(result) : { ...result };
      },
    );
  }

  async readResource(
    operation: Operation<A>,
    uri: string,
    call: RawCall<A> | undefined,
  ): Promise<Record<string, unknown>> {
    const own = this.#extensions.resources;
    if (call !== undefined && own !== undefined) {
      const contents = await this.#guard(
        operation,
        { kind: 'resource', name: 'extension', permission: 'read' },
        async () => {
          for (const resource of own) {
            const found = await resource.read(uri, call);
            if (found !== undefined) return found;
          }
          return undefined;
        },
      );
      if (contents !== undefined) {
        return { contents, ...(operation.era === 'modern' ? { ttlMs: 0, cacheScope: 'private' } : {}) };
      }
    }
    return this.#resources.read(operation, uri);
  }

  async getPrompt(
    operation: Operation<A>,
    name: string,
    args: Readonly<Record<string, unknown>>,
    call: RawCall<A> | undefined,
  ): Promise<Record<string, unknown>> {
    const extension = call === undefined ? undefined : this.#extensionPrompt(name);
    if (extension === undefined || call === undefined) return this.#prompts.get(operation, name, args);
    return this.#guard(operation, { kind: 'prompt', name, permission: 'read' }, async () => {
      // because the protocol's schema has been checked by the leg: values are strings
      const rendered = await extension.render(args as Record<string, string>, call);
      return 'inputRequests' in rendered ? inputRequired(rendered) : { ...rendered };
    });
  }

  #extensionPrompt(name: unknown): ExtensionPrompt<A> | undefined {
    return this.#extensions.prompts?.find((prompt) => prompt.definition.name === name);
  }

  async complete(operation: Operation<A>, params: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>> {
    const { ref, argument } = params;
    const extension = isObject(ref) ? this.#extensionPrompt(ref['name']) : undefined;
    if (extension === undefined || !isObject(argument)) return this.#completion.complete(operation, params);
    const values = (await extension.complete?.(String(argument['name']), String(argument['value']))) ?? [];
    return { completion: { values: values.slice(0, 100), total: values.length, hasMore: values.length > 100 } };
  }

  async handleTask(
    operation: Operation<A>,
    method: TaskMethod,
    params: Readonly<Record<string, unknown>>,
    clientCapabilities: unknown,
  ): Promise<Record<string, unknown>> {
    if (!this.#tasks.served) throw new RpcError(RPC.methodNotFound, 'Method not found');
    if (!declaresTasks(clientCapabilities)) throw tasksNeeded();
    return this.#tasks.handle(operation, method, params);
  }

  /** Runs code of an extension with the same promises as the contract's own: permission, audit, no leaks. */
  async #guard<T>(
    operation: Operation<A>,
    what: {
      readonly kind: 'tool' | 'resource' | 'prompt';
      readonly name: string;
      readonly permission: 'read' | 'write';
    },
    work: () => Promise<T>,
  ): Promise<T> {
    const { kind, name, permission } = what;
    const startMs = monotonicMs();
    let outcome = 'ok';
    try {
      requirePermission(operation.principal, permission);
      return await work();
    } catch (error) {
      if (error instanceof RpcError || error instanceof ContractFault) {
        outcome = 'invalid_request';
        throw error;
      }
      const known = error instanceof AppError && this.#faults.describe(error.code) !== undefined;
      const shown = known ? this.#faults.publish(error) : this.#faults.internal(operation.exchange.requestId);
      outcome = shown.code;
      if (!known)
        this.#logger.error('extension failed', { requestId: operation.exchange.requestId, kind, name, error });
      // because T is a result object whenever the kind is a tool
      if (kind === 'tool') return toResultObject(errorAnswer(shown, operation.era, this.#publishesSchemas)) as T;
      throw this.#faults.toRpc(shown, operation.era);
    } finally {
      this.#recorder.finish(operation, { kind, name, startMs }, outcome, undefined);
    }
  }
}

function inputRequired(request: InputRequest): Record<string, unknown> {
  return {
    resultType: 'input_required',
    inputRequests: request.inputRequests,
    ...(request.requestState === undefined ? {} : { requestState: request.requestState }),
  };
}
