import type { CanonicalModel } from '../canonical/index.ts';
import type { JsonObject } from '../canonical/json.ts';
import type { Projection } from '../project/index.ts';

export interface EmitSource {
  readonly canonical: CanonicalModel;
  readonly projection: Projection;
}

/** What every emitter reads. */
export interface EmitInput extends EmitSource {
  /** Everything a client can see; made once, because its digest goes into the catalog. */
  readonly surface: JsonObject;
}

export interface EmittedFile {
  /** Contract file or folder the text comes from, relative to the contract root; empty for the whole tree. */
  readonly source: string;
  /** Text without the banner. */
  readonly body: string;
}

/** Files by path relative to the output folder. */
export type Emitted = ReadonlyMap<string, EmittedFile>;

/** Pure: the same model gives the same files on every machine. */
export type Emitter = (input: EmitInput) => Emitted | Promise<Emitted>;
