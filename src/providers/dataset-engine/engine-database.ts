import { DuckDBInstance } from '@duckdb/node-api';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { EngineLimits } from './protocol.ts';
import { beginsAsSelect, checkStatement, StatementFault } from './statement-guard.ts';

/** An empty database of its own, thrown away after one task. */
export interface EngineDatabase {
  readonly connection: DuckDBConnection;
  close(): void;
}

export async function openDatabase(limits: EngineLimits): Promise<EngineDatabase> {
  const instance = await DuckDBInstance.create(':memory:', {
    // One thread: a statement may fill one core, never the machine, and rows keep their order.
    threads: '1',
    memory_limit: `${limits.memoryMb}MB`,
    // A query that does not fit into memory fails; only tasks that write may spill, see `allowSpill`.
    temp_directory: '',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
  });
  const connection = await instance.connect();
  await connection.run("SET TimeZone = 'UTC'");
  return {
    connection,
    close: () => {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

/** Makes one file the table `t`. */
export async function openTable(connection: DuckDBConnection, file: string): Promise<void> {
  await connection.run(`CREATE VIEW t AS SELECT * FROM read_parquet(${literal(file)})`);
}

export async function allowSpill(connection: DuckDBConnection, folder: string): Promise<void> {
  await connection.run(`SET temp_directory = ${literal(folder)}`);
}

/** From here on the engine touches these files, no other, and no setting can be changed. */
export async function lock(connection: DuckDBConnection, files: readonly string[]): Promise<void> {
  await connection.run(`SET allowed_paths = [${files.map(literal).join(', ')}]`);
  await connection.run('SET enable_external_access = false');
  await connection.run('SET lock_configuration = true');
}

/** Lets one SELECT over `t`, and over tables made from it, through; everything else is a `StatementFault`. */
export async function guard(connection: DuckDBConnection, sql: string, tables: readonly string[] = []): Promise<void> {
  if (!beginsAsSelect(sql)) throw new StatementFault('The statement must be one SELECT or WITH over the table t.');
  const reader = await connection.runAndReadAll(`SELECT json_serialize_sql(${literal(sql)})`);
  const parsed: unknown = JSON.parse(String(reader.getRows()[0]?.[0] ?? '{}'));
  const tree = parsed as { error?: boolean; error_message?: unknown; error_type?: unknown; statements?: unknown[] };
  if (tree.error === true) {
    if (tree.error_type !== 'parser' && tree.error_type !== 'syntax') {
      throw new StatementFault('The statement must be one SELECT or WITH over the table t.');
    }
    throw new StatementFault(`Parser Error: ${String(tree.error_message)}`);
  }
  if (tree.statements?.length !== 1) throw new StatementFault('Send exactly one statement.');
  checkStatement(tree.statements, tables);
}

export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
