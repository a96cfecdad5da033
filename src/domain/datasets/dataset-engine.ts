import type { Readable } from 'node:stream';
import type { RowFacts } from './row-facts.ts';

/** A row as the engine takes and gives it: JSON values, and bigint for integers a double cannot hold. */
export type DatasetRow = Readonly<Record<string, unknown>>;

/** Name of the column that identifies a row across versions. It is not data: no contract, digest or column list has it. */
export const ROW_IDENTITY = 'source_row';

export interface TableColumn {
  readonly name: string;
  /** DuckDB's name of the type. */
  readonly type: string;
  /** Share of rows without a value, 0 to 1. */
  readonly nullRate: number;
}

/** A version as it was written. */
export interface WrittenTable {
  readonly rows: number;
  readonly columns: readonly TableColumn[];
  /** SHA-256 over column names, types and values in row order; equal digests mean equal data. */
  readonly fingerprint: string;
  readonly sizeBytes: number;
  readonly sha256: string;
}

export interface QueryRequest {
  readonly sql: string;
  readonly limit: number;
  /** Longest text value, in code points; what is longer is cut and ends in an ellipsis. */
  readonly maxTextLength?: number;
  /** Most JSON bytes of all rows together. */
  readonly maxBytes?: number;
  /** Not of a person: it has the time and the room of a job's work. */
  readonly isJob?: boolean;
  readonly signal?: AbortSignal;
}

export interface QueryAnswer {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly DatasetRow[];
  /** Whether rows or parts of values were left out. */
  readonly truncated: boolean;
}

export interface WriteRowsOptions {
  /** DuckDB types of the columns, which are then exactly these; without it columns and types are inferred from the rows. */
  readonly columns?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Called after each batch with the rows taken so far. */
  readonly onProgress?: (rows: number) => Promise<void>;
}

export interface WriteSelectOptions {
  /**
   * SELECTs that make tables for the statement, by their names; each may read `t` and those before it. What several
   * parts of a statement need is held once and outside the memory of a query.
   */
  readonly tables?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** How a file holds rows. */
export type FileFormat = 'csv' | 'tsv' | 'json' | 'jsonl' | 'parquet';

export interface SourceFile {
  readonly format: FileFormat;
  readonly content: () => AsyncIterable<Uint8Array>;
}

export type ExportFormat = 'jsonl' | 'csv' | 'parquet';

/** The rows of a version as one file, until it is released. */
export interface ExportedFile {
  readonly sizeBytes: number;
  /** Lower-case hex, known before the first byte is read. */
  readonly sha256: string;
  /** Releases the file when it is read or destroyed. */
  read(): Readable;
  release(): Promise<void>;
}

/**
 * Reads and writes dataset versions, which are Parquet objects. Nothing runs in the calling process, so a statement
 * can neither stall nor crash it; one that passes a limit is killed.
 *
 * Statements come from strangers. They see one table, `t`, and reach nothing else; a faulty or forbidden one is
 * `query_invalid` with the engine's first line, free of paths. A value beyond 2^53 travels as a string, exactly.
 */
export interface DatasetEngine {
  /** Writes rows in their order as a new object; `source_row` counts from 1. */
  writeRows(
    target: string,
    rows: AsyncIterable<readonly DatasetRow[]>,
    options?: WriteRowsOptions,
  ): Promise<WrittenTable>;
  /**
   * Writes the rows of files in their order as a new object, with the columns of all of them and types inferred over
   * every row. A file that is not what its format says is `dataset_invalid` with the first thing that is wrong.
   */
  writeFiles(
    target: string,
    files: readonly SourceFile[],
    options?: Pick<WriteRowsOptions, 'signal' | 'onProgress'>,
  ): Promise<WrittenTable>;
  /** The rows in their order without `source_row`. Values that the format has no form for are text. */
  export(source: string, format: ExportFormat, options?: { readonly signal?: AbortSignal }): Promise<ExportedFile>;
  /**
   * Writes the answer of one SELECT over `source` as a new object. Keeps `source_row` when the answer has it and is at
   * fault when that does not tell the rows apart.
   */
  writeSelect(source: string, sql: string, target: string, options?: WriteSelectOptions): Promise<WrittenTable>;
  /** Lets a statement pass that may run over `source`: guarded, parsed and bound to its columns, but not run. */
  check(source: string, sql: string, options?: { readonly signal?: AbortSignal }): Promise<void>;
  query(source: string, request: QueryRequest): Promise<QueryAnswer>;
  /** Reads a version once, where it is, in bounded memory. */
  measure(source: string, options?: { readonly signal?: AbortSignal }): Promise<RowFacts>;
  /** Removes what killed processes left in the work folder before `before`. */
  sweep(before: Date): Promise<number>;
  close(): Promise<void>;
}
