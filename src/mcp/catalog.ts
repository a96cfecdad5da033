import { isLeaving } from '../http/leaving.ts';
import { monotonicMs } from '../kernel/clock.ts';
import { didYouMean } from '../kernel/did-you-mean.ts';
import { AppError } from '../kernel/errors.ts';
import type { Logger } from '../kernel/logger.ts';
import { replayOrRun, type IdempotencyStore } from '../kernel/replay.ts';
import { checkArguments, checkUnsafe, invalidInputMessage, type FieldFaults } from './arguments.ts';
import type { CatalogContract, TombstoneContract, ToolContract, Validator } from './contract.ts';
import type { Deadlines } from './deadline.ts';
import type { Operation } from './exchange.ts';
import { ContractFault, type Faults } from './faults.ts';
import type { Lifecycle } from './lifecycle.ts';
import { collectLinks, findLinks, qualifyLinks, type LinkMap } from './links.ts';
import type { Principal, ResolvedProject } from './ports.ts';
import type { ProjectGate } from './projects.ts';
import { RPC, RpcError } from './protocol.ts';
import { CANCELLED, type Recorder } from './record.ts';
import { errorAnswer, successAnswer, type ToolAnswer } from './result.ts';

type ToolFunction = (input: unknown, context: unknown) => Promise<unknown>;

interface CompiledTool {
  readonly contract: ToolContract;
  readonly run: ToolFunction;
  readonly validateInput: Validator;
  readonly validateOutput: Validator;
  readonly declared: ReadonlySet<string>;
  readonly links: LinkMap | undefined;
}

export interface CatalogParts<A, P> {
  readonly contract: CatalogContract;
  readonly handlers: object;
  readonly projects: ProjectGate<A, P>;
  readonly faults: Faults;
  readonly lifecycle: Lifecycle;
  readonly recorder: Recorder;
  readonly deadlines: Deadlines;
  readonly logger: Logger;
  readonly idempotency: IdempotencyStore | undefined;
  readonly publishesSchemas: boolean;
  readonly strictErrors: boolean;
  readonly maxResultLength: number;
  readonly isLinkUri: (uri: string) => boolean;
}

/**
 * Calls tools. The order of the checks is part of the contract: unknown tool, permission, project, arguments,
 * handler, output. A caller without permission learns nothing about arguments, one without project nothing either.
 */
export class Catalog<A, P> {
  readonly #parts: CatalogParts<A, P>;
  readonly #tools = new Map<string, CompiledTool>();
  readonly #withdrawn: ReadonlyMap<string, TombstoneContract>;

  constructor(parts: CatalogParts<A, P>) {
    this.#parts = parts;
    const graves = (parts.contract.tombstones ?? []).filter(({ kind }) => kind === 'tool');
    this.#withdrawn = new Map(graves.map((one) => [one.name, one]));
    for (const contract of parts.contract.tools) {
      const tool = compileTool(contract, parts);
      for (const name of [contract.name, ...contract.aliases]) this.#tools.set(name, tool);
    }
  }

  find(name: string): ToolContract | undefined {
    return this.#tools.get(name)?.contract;
  }

  /** Throws `RpcError` for an unknown tool; every other failure is an answer. */
  async call(operation: Operation<A>, name: string, args: Record<string, unknown>): Promise<ToolAnswer> {
    const startMs = monotonicMs();
    const tool = this.#tools.get(name);
    if (tool === undefined) {
      const withdrawn = this.#withdrawn.get(name);
      if (withdrawn !== undefined) return this.#refuseWithdrawn(withdrawn, operation, startMs);
      this.#parts.recorder.finish(operation, { kind: 'tool', name: 'unknown', startMs }, 'invalid_tool', undefined);
      throw this.#unknownTool(name, operation);
    }
    const call = new ToolCall(this.#parts, tool, operation, name);
    let outcome = 'ok';
    try {
      const answer = await call.run(args);
      if (!('refused' in answer)) return answer;
      outcome = 'invalid_input';
      return this.#refuseArguments(answer.refused, tool, operation);
    } catch (error) {
      const failed = this.#fail(error, tool, operation);
      outcome = failed.code;
      return failed.answer;
    } finally {
      this.#parts.recorder.finish(
        operation,
        { kind: 'tool', name: tool.contract.name, startMs },
        outcome,
        call.projectId,
      );
    }
  }

  #refuseWithdrawn(tombstone: TombstoneContract, operation: Operation<A>, startMs: number): ToolAnswer {
    const { faults, lifecycle, publishesSchemas, recorder } = this.#parts;
    const error = faults.publish(lifecycle.refuseWithdrawn('tool', tombstone));
    recorder.finish(operation, { kind: 'tool', name: tombstone.name, startMs }, error.code, undefined);
    return errorAnswer(error, operation.era, publishesSchemas);
  }

  #unknownTool(name: string, operation: Operation<A>): RpcError {
    const visible = this.#parts.contract.tools
      .filter((tool) => operation.principal.permissions[tool.permission])
      .map((tool) => tool.name);
    const close = didYouMean(name, visible);
    const hint = close === undefined ? 'List the tools and use a name from that list.' : `Did you mean \`${close}\`?`;
    const error = this.#parts.faults.make(
      'invalid_tool',
      `There is no tool of that name. ${hint}`,
      close === undefined ? {} : { did_you_mean: close },
    );
    return new RpcError(RPC.invalidParams, error.message, { ...error });
  }

  /** The most frequent refusal is made without an error object: capturing its stack would cost more than the call. */
  #refuseArguments(fields: FieldFaults, tool: CompiledTool, operation: Operation<A>): ToolAnswer {
    const { faults, logger, publishesSchemas } = this.#parts;
    logger.debug('tool refused arguments', { requestId: operation.exchange.requestId, tool: tool.contract.name });
    const error = faults.make('invalid_input', invalidInputMessage(fields), Object.fromEntries(fields));
    return errorAnswer(error, operation.era, publishesSchemas);
  }

  #fail(error: unknown, tool: CompiledTool, operation: Operation<A>): { code: string; answer: ToolAnswer } {
    const { faults, logger, strictErrors, publishesSchemas } = this.#parts;
    const { requestId } = operation.exchange;
    let shown = faults.internal(requestId);
    if (isLeaving(operation.exchange.response, error)) {
      logger.info('tool cancelled', { requestId, tool: tool.contract.name });
      return { code: CANCELLED, answer: errorAnswer(shown, operation.era, publishesSchemas) };
    }
    if (
      error instanceof AppError &&
      faults.describe(error.code) !== undefined &&
      faults.isAllowed(error, tool.declared)
    ) {
      shown = error.code === 'invalid_output' ? faults.internal(requestId, 'invalid_output') : faults.publish(error);
    } else if (error instanceof AppError && strictErrors) {
      throw new ContractFault(`${tool.contract.name} raised ${error.code}, which its contract does not declare`, error);
    }
    if (shown.code === 'internal_error' || shown.code === 'invalid_output')
      logger.error('tool failed', { requestId, tool: tool.contract.name, error });
    else if (shown.retryable)
      logger.warn('tool answered an error', { requestId, tool: tool.contract.name, code: shown.code, error });
    else logger.debug('tool answered an error', { requestId, tool: tool.contract.name, code: shown.code });
    return { code: shown.code, answer: errorAnswer(shown, operation.era, publishesSchemas) };
  }
}

function compileTool<A, P>(contract: ToolContract, parts: CatalogParts<A, P>): CompiledTool {
  const { name } = contract;
  const { validators } = parts.contract;
  // because handlers are the generated adapter interface, whose function types the compiler has checked
  const run = (parts.handlers as Record<string, ToolFunction | undefined>)[name];
  const validateInput = validators.toolInput[name];
  const validateOutput = validators.toolOutput[name];
  if (typeof run !== 'function') throw new Error(`no handler for the tool ${name}`);
  if (validateInput === undefined || validateOutput === undefined)
    throw new Error(`no validators for the tool ${name}`);
  if (contract.idempotency === 'key' && parts.idempotency === undefined)
    throw new Error(`${name} takes request keys, but there is no store for them`);
  return {
    contract,
    run: (input, context) => run.call(parts.handlers, input, context),
    validateInput,
    validateOutput,
    declared: new Set(contract.errors),
    links: findLinks(contract.outputSchema.full),
  };
}

/** One call on its way through the checks. */
class ToolCall<A, P> {
  readonly #parts: CatalogParts<A, P>;
  readonly #tool: CompiledTool;
  readonly #operation: Operation<A>;
  readonly #calledName: string;
  #project: ResolvedProject<P> | undefined;

  constructor(parts: CatalogParts<A, P>, tool: CompiledTool, operation: Operation<A>, calledName: string) {
    this.#parts = parts;
    this.#tool = tool;
    this.#operation = operation;
    this.#calledName = calledName;
  }

  get projectId(): string | undefined {
    return this.#project?.id;
  }

  /** Answers the faults of the arguments instead of a result when they do not fit. */
  async run(sent: Record<string, unknown>): Promise<ToolAnswer | { readonly refused: FieldFaults }> {
    const { contract } = this.#tool;
    const { principal } = this.#operation;
    const notice = this.#parts.lifecycle.noticeOnCall('tool', contract, this.#calledName);
    requirePermission(principal, contract.permission);
    let input = sent;
    if (contract.context === 'project') {
      const named = sent['project_id'];
      if (named !== undefined) {
        const { project_id: _, ...rest } = sent;
        input = rest;
      }
      const found = this.#parts.projects.require(principal, named);
      this.#project = found instanceof Promise ? await found : found;
    }
    const faults = this.#check(input);
    if (faults !== undefined) return { refused: faults };
    const output = await this.#work(input);
    return this.#render(output, notice);
  }

  #check(input: Record<string, unknown>): FieldFaults | undefined {
    const unsafe = this.#operation.suspicious ? checkUnsafe(input) : undefined;
    return unsafe ?? checkArguments(this.#tool.contract, this.#tool.validateInput, input);
  }

  #work(input: Record<string, unknown>): Promise<unknown> {
    const { contract } = this.#tool;
    if (contract.idempotency !== 'key' || this.#parts.idempotency === undefined) return this.#handle(input);
    const { request_key: requestKey, ...rest } = input;
    if (typeof requestKey !== 'string') return this.#handle(rest);
    const { subject } = this.#operation.principal;
    const request = { subject, projectId: this.#project?.id, tool: contract.name, requestKey, input: rest };
    return replayOrRun(this.#parts.idempotency, this.#parts.logger, request, () => this.#handle(rest));
  }

  async #handle(input: Record<string, unknown>): Promise<unknown> {
    const { contract, run, validateOutput } = this.#tool;
    const { exchange, principal } = this.#operation;
    const context = this.#project === undefined ? principal.account : this.#project.context;
    const output = await this.#parts.deadlines.race(run(input, context), contract.timeoutMs, exchange);
    if (validateOutput(output)) return output;
    // Places and rules are the contract's own words; the values stay out of the log.
    const faults = (validateOutput.errors ?? [])
      .slice(0, 5)
      .map(({ instancePath, keyword, params }) => ({ instancePath, keyword, params }));
    throw new AppError('invalid_output', 'The result breaks the contract.', {
      cause: new Error(JSON.stringify(faults)),
    });
  }

  #render(output: unknown, notice: Readonly<Record<string, unknown>> | undefined): ToolAnswer {
    const { links } = this.#tool;
    const { isLinkUri, maxResultLength } = this.#parts;
    let shown = output;
    if (links !== undefined && this.#project !== undefined && this.#operation.principal.projectId === undefined) {
      shown = qualifyLinks(output, links, this.#project.id, isLinkUri);
    }
    const answer = successAnswer(
      shown,
      links === undefined ? [] : collectLinks(shown, links, isLinkUri),
      notice,
      this.#project?.id,
    );
    if (answer.text.length > maxResultLength) {
      throw new AppError('invalid_output', 'The result is too large.', {
        cause: new Error(`${answer.text.length} characters`),
      });
    }
    return answer;
  }
}

/** Shared by tools, resources and prompts. */
export function requirePermission(principal: Principal<unknown>, permission: 'read' | 'write'): void {
  if (principal.permissions[permission]) return;
  throw new AppError('permission_denied', `This credential has no ${permission} permission. Ask for one that has it.`);
}
