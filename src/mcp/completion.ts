import { monotonicMs } from '../kernel/clock.ts';
import { clip } from '../kernel/bounded.ts';
import { AppError } from '../kernel/errors.ts';
import { neutralise } from '../kernel/json.ts';
import type { Logger } from '../kernel/logger.ts';
import { requirePermission } from './catalog.ts';
import type { CatalogContract } from './contract.ts';
import type { Deadlines } from './deadline.ts';
import type { Operation } from './exchange.ts';
import type { Faults } from './faults.ts';
import type { ProjectGate } from './projects.ts';
import { isObject, outcomeOf, RPC, RpcError } from './protocol.ts';
import type { Recorder } from './record.ts';
import { sameTemplate } from './resources.ts';

type Completer = (value: string, context: unknown) => Promise<readonly string[]>;

export interface CompletionParts<A, P> {
  readonly contract: CatalogContract;
  readonly completers: object;
  readonly projects: ProjectGate<A, P>;
  readonly faults: Faults;
  readonly recorder: Recorder;
  readonly deadlines: Deadlines;
  readonly logger: Logger;
}

const MOST_VALUES = 100;
const LONGEST_VALUE = 255;
const TIMEOUT_MS = 5_000;

/** Suggests values for bounded template variables and prompt arguments. */
export class Completion<A, P> {
  readonly #parts: CompletionParts<A, P>;

  constructor(parts: CompletionParts<A, P>) {
    this.#parts = parts;
    for (const name of completionNames(parts.contract)) {
      if (this.#completer(name) === undefined) throw new Error(`no completer named ${name}`);
    }
  }

  /** The result object of `completion/complete`. Throws `RpcError` only. */
  async complete(operation: Operation<A>, params: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>> {
    const startMs = monotonicMs();
    let outcome = 'ok';
    let projectId: string | undefined;
    let name = 'unknown';
    try {
      const argument = isObject(params['argument']) ? params['argument'] : {};
      const { name: argumentName, value } = argument;
      if (typeof argumentName !== 'string' || typeof value !== 'string')
        throw invalid('argument', 'must have a name and a value');
      requirePermission(operation.principal, 'read');
      const completion = this.#find(params['ref'], argumentName);
      if (completion === undefined) return answer([]);
      name = completion;
      const given = projectNamed(params);
      if (given === undefined && operation.principal.projectId === undefined) return answer([]);
      const project = await this.#parts.projects.require(operation.principal, given);
      projectId = project.id;
      const completer = this.#completer(completion);
      const values =
        completer === undefined
          ? []
          : await this.#parts.deadlines.race(
              completer(clip(value, LONGEST_VALUE), project.context),
              TIMEOUT_MS,
              operation.exchange,
            );
      return answer(values);
    } catch (error) {
      const failure = this.#fail(error, operation, name);
      outcome = outcomeOf(failure);
      throw failure;
    } finally {
      this.#parts.recorder.finish(operation, { kind: 'completion', name, startMs }, outcome, projectId);
    }
  }

  #completer(name: string): Completer | undefined {
    const { completers } = this.#parts;
    // because completers are the generated interface, whose function types the compiler has checked
    const complete = (completers as Record<string, Completer | undefined>)[name];
    return typeof complete === 'function' ? (value, context) => complete.call(completers, value, context) : undefined;
  }

  #find(ref: unknown, argumentName: string): string | undefined {
    if (!isObject(ref)) throw invalid('ref', 'must name a prompt or a resource template');
    const { prompts, resources } = this.#parts.contract;
    if (ref['type'] === 'ref/prompt') {
      const prompt = prompts.find((candidate) => candidate.name === ref['name']);
      if (prompt === undefined) throw invalid('ref', 'is not a prompt');
      return prompt.arguments.find((argument) => argument.name === argumentName)?.completion;
    }
    const { uri } = ref;
    if (ref['type'] !== 'ref/resource' || typeof uri !== 'string')
      throw invalid('ref', 'must name a prompt or a resource template');
    const resource = resources.find((candidate) => candidate.uriTemplate !== undefined && sameTemplate(candidate, uri));
    if (resource === undefined) throw invalid('ref', 'is not a resource template');
    return resource.variables.find((variable) => variable.name === argumentName)?.completion;
  }

  #fail(error: unknown, operation: Operation<A>, name: string): RpcError {
    if (error instanceof RpcError) return error;
    const { faults, logger } = this.#parts;
    if (error instanceof AppError && faults.describe(error.code) !== undefined)
      return faults.toRpc(faults.publish(error), operation.era);
    const { requestId } = operation.exchange;
    logger.error('completion failed', { requestId, completion: name, error });
    return faults.toRpc(faults.internal(requestId), operation.era);
  }
}

/** The project a client filled in already, in the same form or template. */
function projectNamed(params: Readonly<Record<string, unknown>>): unknown {
  const context = isObject(params['context']) ? params['context'] : {};
  const filled = isObject(context['arguments']) ? context['arguments'] : {};
  return filled['project_id'];
}

function answer(values: readonly string[]): Record<string, unknown> {
  const shown = values.slice(0, MOST_VALUES).map((value) => neutralise(value));
  return { completion: { values: shown, total: values.length, hasMore: values.length > shown.length } };
}

function invalid(field: string, what: string): RpcError {
  return new RpcError(RPC.invalidParams, `\`${field}\` ${what}.`, {
    code: 'invalid_input',
    retryable: false,
    fields: { [field]: what },
  });
}

function completionNames(contract: CatalogContract): ReadonlySet<string> {
  const holders = [
    ...contract.resources.flatMap((resource) => resource.variables),
    ...contract.prompts.flatMap((prompt) => prompt.arguments),
  ];
  return new Set(holders.flatMap((holder) => (holder.completion === undefined ? [] : [holder.completion])));
}
