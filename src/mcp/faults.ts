import { neutralise } from '../kernel/json.ts';
import { clip } from '../kernel/bounded.ts';
import type { AppError } from '../kernel/errors.ts';
import type { Redactor } from '../kernel/redact.ts';
import type { CatalogContract, ErrorContract } from './contract.ts';
import { RPC, RpcError, type Era } from './protocol.ts';

/** An error as a caller may see it. */
export interface PublicError {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A handler broke its contract; thrown instead of answered under `strictErrors`. */
export class ContractFault extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = 'ContractFault';
  }
}

/** Codes the runtime itself may answer for any tool, whatever the tool declares. */
const RUNTIME_CODES: ReadonlySet<string> = new Set([
  'permission_denied',
  'project_required',
  'invalid_input',
  'invalid_output',
  'internal_error',
  'rate_limited',
  'unavailable',
  'request_conflict',
  'tool_retired',
]);

const LONGEST_MESSAGE = 2000;
const INTERNAL_MESSAGE = 'The server failed in a way it did not foresee. Report the request id to the operator.';

/** Turns whatever was thrown into what a caller may see. */
export class Faults {
  readonly #errors: CatalogContract['errors'];
  readonly #redactor: Redactor;

  constructor(contract: CatalogContract, redactor: Redactor) {
    this.#errors = contract.errors;
    this.#redactor = redactor;
  }

  describe(code: string): ErrorContract | undefined {
    return Object.hasOwn(this.#errors, code) ? this.#errors[code] : undefined;
  }

  /** Whether a handler may raise this: declared by it, or one of the runtime's own. */
  isAllowed(error: AppError, declared: ReadonlySet<string>): boolean {
    return declared.has(error.code) || RUNTIME_CODES.has(error.code);
  }

  /** An error thrown on purpose. Its words may quote what callers sent, so they are cleaned like any data. */
  publish(error: AppError): PublicError {
    const message = clip(neutralise(this.#redactor.text(error.message)), LONGEST_MESSAGE);
    const fields = this.#redactor.value(error.fields, { maxDepth: 6, maxBytes: 16 * 1024 });
    // because the redactor keeps an object an object
    return this.make(error.code, message, fields as Record<string, unknown>);
  }

  /** An error in our own words. */
  make(code: string, message: string, fields: Readonly<Record<string, unknown>> = {}): PublicError {
    return { code, message, retryable: this.describe(code)?.retryable ?? false, fields };
  }

  internal(requestId: string, code: 'internal_error' | 'invalid_output' = 'internal_error'): PublicError {
    const message =
      code === 'internal_error'
        ? INTERNAL_MESSAGE
        : 'The server made a result that breaks its own contract and withheld it. Report the request id to the operator.';
    return this.make(code, message, { request_id: requestId });
  }

  /** The same error for resources, prompts and completions, which have no error results. */
  toRpc(error: PublicError, era: Era, extra: Readonly<Record<string, unknown>> = {}): RpcError {
    return new RpcError(rpcCode(this.describe(error.code)?.class ?? 'internal_error', era), error.message, {
      ...extra,
      ...error,
    });
  }
}

function rpcCode(errorClass: string, era: Era): number {
  switch (errorClass) {
    case 'not_found':
      return era === 'legacy' ? RPC.resourceNotFound : RPC.invalidParams;
    case 'rate_limited':
    case 'unavailable':
    case 'internal_error':
      return RPC.internalError;
    default:
      return RPC.invalidParams;
  }
}
