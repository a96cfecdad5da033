import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AppError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { ROW_IDENTITY } from '../../domain/datasets/index.ts';
import type {
  DatasetEngine,
  DatasetRow,
  ExportedFile,
  ExportFormat,
  ObjectStore,
  QueryAnswer,
  QueryRequest,
  RowFacts,
  SourceFile,
  WriteRowsOptions,
  WriteSelectOptions,
  WrittenTable,
} from '../../domain/datasets/index.ts';
import { EnginePool } from './engine-pool.ts';
import type { Turn } from './engine-pool.ts';
import { TaskFailure } from './engine-process.ts';
import type { EngineProcess, RunOptions } from './engine-process.ts';
import { clipMessage } from './engine-message.ts';
import { toJsonLine } from './json-lines.ts';
import type { EngineFile, EngineTask } from './protocol.ts';
import { stageFile } from './staged-files.ts';
import { StatementPools } from './statement-pools.ts';

export interface DuckDbEngineOptions {
  readonly objects: ObjectStore;
  /** Folder of this server alone or of several; every task makes its own folder below it. */
  readonly workFolder: string;
  /** Processes for statements that are quickly done, and as many for those of projects whose statements take much. */
  readonly queryProcesses?: number;
  readonly jobProcesses?: number;
  readonly queryMs?: number;
  readonly queryMemoryMb?: number;
  /** Largest JSON array in a file. */
  readonly arrayBytes?: number;
}

const ARRAY_BYTES = 256 * 1024 * 1024;

const QUERY_TEXT_LENGTH = 12_000;
const QUERY_BYTES = 48 * 1024;
const QUERY_MS = 8_000;
const QUERY_WAIT_MS = 8_000;
/** A statement that has had this much of a core lets the others pass, */
const QUERY_YIELD_MS = 500;
/** and so do those of its project for so long after it. */
const QUERY_PATIENCE_MS = 30_000;
const SCAN_MS = 30 * 60_000;
const IDLE_MS = 60_000;
const SPILL = 'spill';
const READ_CHUNK_BYTES = 1 << 18;
/** What the process itself needs, native code and the Node heap included. */
const OWN_MB = 384;

/** DuckDB in processes of its own. Statements of people and the work of jobs do not share processes. */
export class DuckDbDatasetEngine implements DatasetEngine {
  readonly #objects: ObjectStore;
  readonly #workFolder: string;
  readonly #queryMs: number;
  readonly #arrayBytes: number;
  readonly #queries: StatementPools;
  readonly #jobs: EnginePool;

  constructor(options: DuckDbEngineOptions) {
    const { queryMemoryMb = 256, queryProcesses = 2, jobProcesses = 2 } = options;
    this.#objects = options.objects;
    this.#workFolder = path.resolve(options.workFolder);
    this.#queryMs = options.queryMs ?? QUERY_MS;
    this.#arrayBytes = options.arrayBytes ?? ARRAY_BYTES;
    this.#queries = new StatementPools({
      limits: { memoryMb: queryMemoryMb, residentMb: queryMemoryMb + OWN_MB, yieldAfterMs: QUERY_YIELD_MS },
      size: queryProcesses,
      idleMs: IDLE_MS,
      waitMs: QUERY_WAIT_MS,
      patienceMs: QUERY_PATIENCE_MS,
    });
    this.#jobs = new EnginePool({
      pace: 'prompt',
      limits: { memoryMb: 512, residentMb: 512 + 2 * OWN_MB },
      size: jobProcesses,
      partySize: jobProcesses,
      idleMs: IDLE_MS,
      waitMs: SCAN_MS,
    });
  }

  async writeRows(
    target: string,
    rows: AsyncIterable<readonly DatasetRow[]>,
    options: WriteRowsOptions = {},
  ): Promise<WrittenTable> {
    return this.#inWorkFolder(async (folder) => {
      const jsonLines = path.join(folder, 'rows.jsonl');
      const written = path.join(folder, 'table.parquet');
      await writeJsonLines(jsonLines, rows, options);
      const columns = options.columns && { [ROW_IDENTITY]: 'BIGINT', ...options.columns };
      const task: EngineTask = {
        kind: 'write_rows',
        jsonLines,
        target: written,
        spillFolder: path.join(folder, SPILL),
        identity: ROW_IDENTITY,
        ...(columns && { columns }),
      };
      return this.#store(
        target,
        written,
        await this.#run(this.#jobs, task, jobRun(target, options.signal)),
        options.signal,
      );
    });
  }

  async writeSelect(
    source: string,
    sql: string,
    target: string,
    { signal, tables = {} }: WriteSelectOptions = {},
  ): Promise<WrittenTable> {
    return this.#inWorkFolder((folder) =>
      this.#withFile(source, async (file) => {
        const written = path.join(folder, 'table.parquet');
        const spillFolder = path.join(folder, SPILL);
        const task: EngineTask = {
          kind: 'write_select',
          file,
          tables,
          sql,
          target: written,
          spillFolder,
          identity: ROW_IDENTITY,
        };
        return this.#store(target, written, await this.#run(this.#jobs, task, jobRun(source, signal)), signal);
      }),
    );
  }

  async writeFiles(
    target: string,
    files: readonly SourceFile[],
    { signal, onProgress }: Pick<WriteRowsOptions, 'signal' | 'onProgress'> = {},
  ): Promise<WrittenTable> {
    return this.#inWorkFolder(async (folder) => {
      const written = path.join(folder, 'table.parquet');
      const staged: EngineFile[] = [];
      for (const [index, file] of files.entries()) {
        const onBytes = async (): Promise<void> => onProgress?.(0);
        const options = { name: String(index), arrayBytes: this.#arrayBytes, onBytes, ...(signal && { signal }) };
        staged.push(await stageFile(file, folder, options).catch(faultOf(files.length === 1 ? undefined : index + 1)));
      }
      const task: EngineTask = {
        kind: 'write_files',
        files: staged,
        target: written,
        spillFolder: path.join(folder, SPILL),
        identity: ROW_IDENTITY,
      };
      return this.#store(target, written, await this.#run(this.#jobs, task, jobRun(target, signal)), signal);
    });
  }

  async export(
    source: string,
    format: ExportFormat,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<ExportedFile> {
    const folder = await this.#workFolderOf();
    const release = (): Promise<void> => rm(folder, { recursive: true, force: true });
    try {
      const target = path.join(folder, `rows.${format}`);
      const spillFolder = path.join(folder, SPILL);
      await this.#withFile(source, (file) =>
        this.#run(
          this.#jobs,
          { kind: 'export', file, format, target, spillFolder, identity: ROW_IDENTITY },
          jobRun(source, signal),
        ),
      );
      return { ...(await digestOf(target, signal)), read: () => releasing(target, release), release };
    } catch (error) {
      await release();
      throw error;
    }
  }

  async query(source: string, request: QueryRequest): Promise<QueryAnswer> {
    const { sql, limit, maxTextLength = QUERY_TEXT_LENGTH, maxBytes = QUERY_BYTES, isJob = false, signal } = request;
    return this.#withFile(source, async (file) => {
      const task = { kind: 'query', file, sql, limit, maxTextLength, maxBytes } as const;
      const text = isJob
        ? await this.#inWorkFolder((folder) =>
            this.#run(this.#jobs, { ...task, spillFolder: path.join(folder, SPILL) }, jobRun(source, signal)),
          )
        : await this.#run(this.#queries, task, this.#queryRun(source, signal));
      if (text.includes(path.dirname(file))) throw invalid('The statement shows what is not part of the dataset.');
      // because readAnswer in the engine process writes exactly this shape
      return JSON.parse(text) as QueryAnswer;
    });
  }

  async check(source: string, sql: string, { signal }: { readonly signal?: AbortSignal } = {}): Promise<void> {
    await this.#withFile(source, (file) =>
      this.#run(this.#queries, { kind: 'check', file, sql }, this.#queryRun(source, signal)),
    );
  }

  async measure(source: string, { signal }: { readonly signal?: AbortSignal } = {}): Promise<RowFacts> {
    return this.#inWorkFolder((folder) =>
      this.#withFile(source, async (file) => {
        const task: EngineTask = {
          kind: 'measure',
          file,
          spillFolder: path.join(folder, SPILL),
          identity: ROW_IDENTITY,
        };
        // because measureTable in the engine process writes exactly this shape
        return JSON.parse(await this.#run(this.#jobs, task, jobRun(source, signal))) as RowFacts;
      }),
    );
  }

  async sweep(before: Date): Promise<number> {
    let removed = 0;
    for (const name of await readdir(this.#workFolder).catch(() => [])) {
      const entry = path.join(this.#workFolder, name);
      const found = await stat(entry).catch(() => undefined);
      if (found === undefined || found.mtime >= before) continue;
      await rm(entry, { recursive: true, force: true });
      removed += 1;
    }
    return removed;
  }

  async close(): Promise<void> {
    await Promise.all([this.#queries.close(), this.#jobs.close()]);
  }

  #queryRun(source: string, signal: AbortSignal | undefined): RunOptions & Turn {
    return { timeoutMs: this.#queryMs, party: partyOf(source), ...(signal && { signal }) };
  }

  async #run(pool: EnginePool | StatementPools, task: EngineTask, options: RunOptions & Turn): Promise<string> {
    try {
      return await pool.use((engine: Pick<EngineProcess, 'run'>) => engine.run(task, options), options);
    } catch (error) {
      throw error instanceof TaskFailure ? translate(error, task, options.timeoutMs) : error;
    }
  }

  async #store(target: string, file: string, answer: string, signal?: AbortSignal): Promise<WrittenTable> {
    const { sizeBytes, sha256 } = await this.#objects.putFile(target, file, signal);
    // because writeTable in the engine process writes exactly this shape
    const described = JSON.parse(answer) as Omit<WrittenTable, 'sizeBytes' | 'sha256'>;
    return { ...described, sizeBytes, sha256 };
  }

  async #withFile<T>(key: string, work: (file: string) => Promise<T>): Promise<T> {
    const copy = await this.#objects.open(key);
    try {
      return await work(copy.path);
    } finally {
      await copy.release();
    }
  }

  async #workFolderOf(): Promise<string> {
    const folder = path.join(this.#workFolder, newId());
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return folder;
  }

  async #inWorkFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
    const folder = await this.#workFolderOf();
    try {
      return await work(folder);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

/** A file's own stream removes the folder when it is read or given up. */
function releasing(file: string, release: () => Promise<void>): Readable {
  const stream = createReadStream(file, { highWaterMark: READ_CHUNK_BYTES });
  stream.once('close', () => void release().catch(() => undefined));
  return stream;
}

async function digestOf(
  file: string,
  signal: AbortSignal | undefined,
): Promise<{ readonly sizeBytes: number; readonly sha256: string }> {
  const hash = createHash('sha256');
  const stream = createReadStream(file, { highWaterMark: READ_CHUNK_BYTES, ...(signal && { signal }) });
  let sizeBytes = 0;
  for await (const chunk of stream) {
    // because a stream without an encoding gives buffers
    const bytes = chunk as Buffer;
    hash.update(bytes);
    sizeBytes += bytes.length;
  }
  return { sizeBytes, sha256: hash.digest('hex') };
}

function jobRun(key: string, signal: AbortSignal | undefined): RunOptions & Turn {
  return { timeoutMs: SCAN_MS, party: partyOf(key), ...(signal && { signal }) };
}

/** A key begins with what it is and whose. */
function partyOf(key: string): string {
  return key.split('/', 2).join('/');
}

async function writeJsonLines(
  file: string,
  rows: AsyncIterable<readonly DatasetRow[]>,
  { signal, onProgress }: WriteRowsOptions,
): Promise<void> {
  async function* lines(): AsyncIterable<string> {
    let count = 0;
    for await (const batch of rows) {
      signal?.throwIfAborted();
      yield batch.map((row, index) => toJsonLine({ [ROW_IDENTITY]: count + index + 1, ...row })).join('');
      count += batch.length;
      await onProgress?.(count);
    }
  }
  // The pipeline owns the file's errors: one that comes after the rows have failed would end the process.
  await pipeline(Readable.from(lines()), createWriteStream(file, { mode: 0o600 }));
}

/** Says in which of several files the fault lies. */
function faultOf(file: number | undefined): (error: unknown) => never {
  return (error) => {
    if (file === undefined || !(error instanceof AppError) || error.code !== 'dataset_invalid') throw error;
    throw new AppError(error.code, `File ${file}: ${error.message}`, { cause: error });
  };
}

function translate(failure: TaskFailure, task: EngineTask, timeoutMs: number): Error {
  const isStatement = task.kind === 'query' || task.kind === 'check' || task.kind === 'write_select';
  const isOutOfMemory = failure.reason === 'exhausted' || failure.message.startsWith('Out of Memory');
  if (failure.reason === 'refused' && !isOutOfMemory) {
    const code = task.kind === 'write_files' ? 'dataset_invalid' : 'query_invalid';
    return new AppError(code, clipMessage(failure.message));
  }
  // What measures a version reads rows that somebody sent, and would meet them again at the next attempt.
  const isOfRows = task.kind === 'write_files' || task.kind === 'measure';
  if (isOfRows && (isOutOfMemory || failure.reason === 'died')) {
    return new AppError('dataset_invalid', 'The file needs more memory than one file may use; use shorter rows.');
  }
  if (task.kind === 'write_files' && failure.reason === 'timeout') {
    const minutes = Math.round(timeoutMs / 60_000);
    return new AppError(
      'dataset_invalid',
      `Reading the files takes longer than ${minutes} minutes; send fewer at once.`,
    );
  }
  if (task.kind === 'export' && isOutOfMemory) {
    return new AppError('invalid_input', 'A row is too long for this format; export it as Parquet.');
  }
  if (failure.reason === 'broken' || !isStatement) return failure;
  if (isOutOfMemory) {
    return invalid('The statement needs more memory than one statement may use; read fewer or smaller rows.');
  }
  if (failure.reason === 'died') return invalid('The statement brought the query engine down; simplify it.');
  return invalid(
    `The statement ran longer than ${Math.ceil(timeoutMs / 1_000)} seconds and was stopped; read fewer rows or join less.`,
  );
}

function invalid(message: string): AppError {
  return new AppError('query_invalid', message);
}
