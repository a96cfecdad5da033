/** A server that cannot be read, in a sentence for the person who asked. Never a fault of the command. */
export class Refusal extends Error {
  readonly kind: RefusalKind;

  constructor(kind: RefusalKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'Refusal';
    this.kind = kind;
  }
}

export type RefusalKind =
  | 'unreachable'
  | 'tls'
  | 'timeout'
  | 'too_large'
  | 'redirect'
  | 'unauthenticated'
  | 'forbidden'
  | 'rate_limited'
  | 'not_mcp'
  | 'failed';
