/** What is known of one stored object. */
export interface StoredObject {
  readonly key: string;
  readonly sizeBytes: number;
  readonly modifiedAt: Date;
}

/** The outcome of a write: what to remember so that a later read can prove it got the same bytes. */
export interface WrittenObject {
  readonly key: string;
  readonly sizeBytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

/** A stored object as a file of this machine, until `release` is called. The path never leaves the providers. */
export interface LocalCopy {
  readonly path: string;
  release(): Promise<void>;
}

/**
 * Files of the platform, by key. A key is written once: writers choose keys that nobody used before.
 * An object is either whole or absent, also after a crash in the middle of a write.
 * Keys are 1 to 16 segments of `[A-Za-z0-9._-]`, joined by `/`; a segment never starts with a dot.
 */
export interface ObjectStore {
  put(key: string, content: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<WrittenObject>;
  /** Takes the file over: it is moved where that is possible and gone from its place either way. */
  putFile(key: string, path: string, signal?: AbortSignal): Promise<WrittenObject>;
  /** Streams the bytes; with `sha256` the stream fails at its end when the bytes are not the ones written. */
  get(key: string, expected?: { readonly sha256: string }): Promise<AsyncIterable<Uint8Array>>;
  stat(key: string): Promise<StoredObject | undefined>;
  open(key: string): Promise<LocalCopy>;
  /** Objects below a prefix of whole segments, in key order. */
  list(prefix: string): AsyncIterable<StoredObject>;
  /** Deleting what is not there is fine. */
  delete(key: string): Promise<void>;
  /** Removes what interrupted writes left behind before `before`; answers how many. */
  sweepPartial(before: Date): Promise<number>;
}

/** A key that is asked for and is not there. */
export class ObjectMissing extends Error {
  constructor(key: string, options?: ErrorOptions) {
    super(`The object ${key} is not in the store.`, options);
    this.name = 'ObjectMissing';
  }
}

/** The bytes under a key are not the ones that were written. */
export class ObjectDamaged extends Error {
  constructor(key: string) {
    super(`The object ${key} does not have the checksum it was written with.`);
    this.name = 'ObjectDamaged';
  }
}
