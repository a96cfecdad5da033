import { monotonicMs } from '../kernel/clock.ts';
import { codePoints } from '../kernel/bounded.ts';
import { didYouMean } from '../kernel/did-you-mean.ts';
import { AppError } from '../kernel/errors.ts';
import { findUnsafe, neutralise } from '../kernel/json.ts';
import type { Logger } from '../kernel/logger.ts';
import { requirePermission } from './catalog.ts';
import type { CatalogContract, PromptContract, PromptPart } from './contract.ts';
import type { Operation } from './exchange.ts';
import type { Faults } from './faults.ts';
import type { Lifecycle } from './lifecycle.ts';
import { outcomeOf, RpcError } from './protocol.ts';
import type { Recorder } from './record.ts';

export interface PromptParts {
  readonly contract: CatalogContract;
  readonly faults: Faults;
  readonly lifecycle: Lifecycle;
  readonly recorder: Recorder;
  readonly logger: Logger;
}

/** Renders prompts of the contract. */
export class Prompts {
  readonly #parts: PromptParts;
  readonly #prompts: ReadonlyMap<string, PromptContract>;

  constructor(parts: PromptParts) {
    this.#parts = parts;
    this.#prompts = new Map(parts.contract.prompts.map((prompt) => [prompt.name, prompt]));
  }

  /** The result object of `prompts/get`. Throws `RpcError` only. */
  get(operation: Operation<unknown>, name: string, sent: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const startMs = monotonicMs();
    const prompt = this.#prompts.get(name);
    let outcome = 'ok';
    try {
      if (prompt === undefined) throw this.#unknown(name);
      const notice = this.#parts.lifecycle.noticeOnCall('prompt', prompt, name);
      requirePermission(operation.principal, prompt.permission);
      const values = checkValues(prompt, sent);
      const messages = prompt.messages.map(({ role, parts }) => ({
        role,
        content: { type: 'text', text: renderParts(parts, values) },
      }));
      return { description: prompt.description, messages, ...(notice === undefined ? {} : { _meta: notice }) };
    } catch (error) {
      const failure = this.#fail(error, operation, name);
      outcome = outcomeOf(failure);
      throw failure;
    } finally {
      this.#parts.recorder.finish(
        operation,
        { kind: 'prompt', name: prompt?.name ?? 'unknown', startMs },
        outcome,
        undefined,
      );
    }
  }

  #unknown(name: string): AppError {
    const close = didYouMean(name, [...this.#prompts.keys()]);
    const hint = close === undefined ? 'List the prompts and use a name from that list.' : `Did you mean \`${close}\`?`;
    return new AppError('invalid_input', `There is no prompt of that name. ${hint}`, {
      fields: { name: 'is not a prompt' },
    });
  }

  #fail(error: unknown, operation: Operation<unknown>, name: string): RpcError {
    if (error instanceof RpcError) return error;
    const { faults, logger } = this.#parts;
    if (error instanceof AppError && faults.describe(error.code) !== undefined)
      return faults.toRpc(faults.publish(error), operation.era);
    const { requestId } = operation.exchange;
    logger.error('prompt failed', { requestId, prompt: this.#prompts.has(name) ? name : 'unknown', error });
    return faults.toRpc(faults.internal(requestId), operation.era);
  }
}

/** Values as text, trimmed; an optional one that is blank counts as left out. */
function checkValues(prompt: PromptContract, sent: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> {
  const fields: Record<string, string> = {};
  const known = prompt.arguments.map((argument) => argument.name);
  for (const name of Object.keys(sent).slice(0, 20)) {
    if (known.includes(name)) continue;
    const close = didYouMean(name, known);
    fields[neutralise(name.slice(0, 64))] =
      close === undefined
        ? 'is not an argument of this prompt'
        : `is not an argument of this prompt; did you mean \`${close}\`?`;
  }
  const values = new Map<string, string>();
  for (const argument of prompt.arguments) {
    const raw = Object.hasOwn(sent, argument.name) ? sent[argument.name] : undefined;
    const fault = typeof raw === 'string' ? findUnsafe(raw)[0]?.message : undefined;
    const value = textOf(raw);
    if (fault !== undefined) fields[argument.name] = fault;
    else if (value === undefined) fields[argument.name] = 'must be text';
    else if (value === '' && argument.required) fields[argument.name] = 'is required';
    else if (codePoints(value) > argument.maxLength)
      fields[argument.name] = `must have at most ${argument.maxLength} characters`;
    else values.set(argument.name, value);
  }
  if (Object.keys(fields).length === 0) return values;
  const names = Object.keys(fields)
    .map((name) => `\`${name}\``)
    .join(', ');
  throw new AppError('invalid_input', `The arguments do not fit the prompt: ${names}.`, { fields });
}

function textOf(raw: unknown): string | undefined {
  if (raw === undefined || raw === null) return '';
  if (typeof raw === 'string') return raw.trim();
  return typeof raw === 'number' || typeof raw === 'boolean' ? String(raw) : undefined;
}

function renderParts(parts: readonly PromptPart[], values: ReadonlyMap<string, string>): string {
  return parts.map((part) => ('text' in part ? part.text : quote(values.get(part.argument) ?? ''))).join('');
}

/**
 * A caller's value as a JSON string: it stays one line of quoted data whatever it holds. The backtick is escaped as
 * well, so that a value can never open or close a command snippet of the text around it.
 */
function quote(value: string): string {
  return JSON.stringify(neutralise(value)).replaceAll('`', '\\u0060');
}
