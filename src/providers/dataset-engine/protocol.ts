import type { ExportFormat, FileFormat } from '../../domain/datasets/index.ts';

/**
 * What the server and one engine process say to each other. The process does one task at a time and answers it with
 * exactly one `done`, `refused` or `broken`; a process that dies or is killed answers nothing.
 */
export type EngineTask =
  | {
      readonly kind: 'query';
      readonly file: string;
      readonly sql: string;
      readonly limit: number;
      readonly maxTextLength: number;
      readonly maxBytes: number;
      /** Absent: what does not fit into memory fails. */
      readonly spillFolder?: string;
    }
  | { readonly kind: 'check'; readonly file: string; readonly sql: string }
  | { readonly kind: 'measure'; readonly file: string; readonly spillFolder: string; readonly identity: string }
  | {
      readonly kind: 'write_rows';
      readonly jsonLines: string;
      readonly target: string;
      readonly spillFolder: string;
      readonly identity: string;
      readonly columns?: Readonly<Record<string, string>>;
    }
  | {
      readonly kind: 'write_select';
      readonly file: string;
      /** Statements that make tables for `sql`, by their names; each may read those before it. */
      readonly tables: Readonly<Record<string, string>>;
      readonly sql: string;
      readonly target: string;
      /** For what does not fit into memory; of this task alone, because engines take each other's files for their own. */
      readonly spillFolder: string;
      readonly identity: string;
    }
  | {
      readonly kind: 'write_files';
      readonly files: readonly EngineFile[];
      readonly target: string;
      readonly spillFolder: string;
      readonly identity: string;
    }
  | {
      readonly kind: 'export';
      readonly file: string;
      readonly format: ExportFormat;
      readonly target: string;
      readonly spillFolder: string;
      readonly identity: string;
    };

export interface EngineFile {
  readonly path: string;
  readonly format: FileFormat;
  /** Of a file of separated values, like all that follows. */
  readonly delimiter?: string;
  /** Of its header. */
  readonly fields?: number;
  /** Before its header. */
  readonly emptyLines?: number;
  /** Whether line feeds stand with and without carriage returns, which the engine does not take. */
  readonly mixedLineEnds?: boolean;
  /** Whether it holds digits in such a row that a double has not as many. */
  readonly hasLongNumbers?: boolean;
}

export interface EngineLimits {
  readonly memoryMb: number;
  /** Resident memory at which the process ends itself; above what DuckDB accounts for. */
  readonly residentMb: number;
  /** CPU time of one task after which the process gives way to those whose tasks are short. */
  readonly yieldAfterMs?: number;
}

export type EngineRequest =
  { readonly kind: 'start'; readonly limits: EngineLimits } | { readonly kind: 'task'; readonly task: EngineTask };

export type EngineReply =
  | { readonly kind: 'ready' }
  /** JSON text of the task's answer. */
  | { readonly kind: 'done'; readonly answer: string }
  /** The statement is at fault; the message is the engine's own and may hold paths. */
  | { readonly kind: 'refused'; readonly message: string }
  /** The statement took more memory than it may; the process ends itself. */
  | { readonly kind: 'exhausted' }
  /** The process gives way to all others, and will for the rest of its life. */
  | { readonly kind: 'slowed' }
  /** The engine or the file is at fault. */
  | { readonly kind: 'broken'; readonly message: string };
