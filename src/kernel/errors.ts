/** How an error renders on each surface; the code's class decides, see `schemas/vocabulary/errors.yaml`. */
export interface AppErrorOptions {
  /** Machine-readable facts for the caller; never secrets, paths or foreign text. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** For the log only. */
  readonly cause?: unknown;
}

/**
 * The one error that domain, adapters and guards throw on purpose. `code` is from the error vocabulary,
 * `message` a full sentence an agent can act on. Anything else that is thrown is a bug and leaves as `internal_error`.
 */
export class AppError extends Error {
  readonly code: string;
  readonly fields: Readonly<Record<string, unknown>>;

  constructor(code: string, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.fields = options.fields ?? {};
  }
}
