import type { ContractModel, JsonValue } from '../model/types.ts';

/** The era of a request: handshake revisions, or one envelope per request. */
export type Era = 'legacy' | 'modern';

/** Leaves as a JSON-RPC error. */
export class RpcFault extends Error {
  readonly code: number;
  readonly data: JsonValue | undefined;
  /** HTTP status of the answer where the revision prescribes one. */
  readonly status: number;

  constructor(code: number, message: string, more: { readonly data?: JsonValue; readonly status?: number } = {}) {
    super(message);
    this.name = 'RpcFault';
    this.code = code;
    this.data = more.data;
    this.status = more.status ?? 200;
  }
}

export const INVALID_PARAMS = -32602;
const LEGACY_NOT_FOUND = -32002;
const INTERNAL = -32603;

export interface PublicFault {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly fields: JsonValue;
}

/** An error of the vocabulary in the words of the contract. */
export function publicFault(model: ContractModel, code: string, fields: JsonValue = {}): PublicFault {
  const known = model.errors.find((error) => error.code === code);
  const message =
    known === undefined
      ? `The mock answers ${code}, which the contracts do not explain.`
      : `${known.meaning} ${known.recovery}`;
  return { code, message, retryable: known?.retryable ?? false, fields };
}

/** The same error where the protocol has no error results; `more` stands beside it in its data. */
export function rpcFault(
  model: ContractModel,
  fault: PublicFault,
  era: Era,
  more: { readonly [name: string]: JsonValue } = {},
): RpcFault {
  const kind = model.errors.find((error) => error.code === fault.code)?.class;
  return new RpcFault(rpcCode(kind, era), fault.message, { data: { ...fault, ...more } });
}

function rpcCode(kind: string | undefined, era: Era): number {
  if (kind === 'not_found') return era === 'legacy' ? LEGACY_NOT_FOUND : INVALID_PARAMS;
  return kind === 'internal_error' || kind === 'unavailable' || kind === 'rate_limited' ? INTERNAL : INVALID_PARAMS;
}
