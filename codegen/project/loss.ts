import type { JsonPath } from '../model/types.ts';

/** One thing the authored schema says and the published one does not. The server still checks it. */
export interface Loss {
  /** `tool query_dataset input`, for instance. */
  readonly entity: string;
  readonly pointer: string;
  readonly keyword: string;
  readonly message: string;
  /** The limit, refusal or need of a client profile that takes it away, as its `sources` name it. */
  readonly of?: string;
}

export type NoteLoss = (path: JsonPath, keyword: string, message: string) => void;
