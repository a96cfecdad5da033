import type { CanonicalModel } from '../canonical/index.ts';
import type { Projection } from '../project/index.ts';

/** What every emitter reads. */
export interface EmitInput {
  readonly canonical: CanonicalModel;
  readonly projection: Projection;
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
