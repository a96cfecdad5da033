import { DuckDBInstance, type DuckDBConnection, type DuckDBType } from '@duckdb/node-api';

/** An answer as DuckDB itself writes its values, with the type of each column. */
export interface HandAnswer {
  readonly columns: readonly { readonly name: string; readonly type: string; readonly isNested: boolean }[];
  /** Text of each value; JSON text of nested ones. */
  readonly rows: readonly (readonly (string | null)[])[];
}

/** How a file is opened by hand; types are given where the file has none. */
export interface HandFile {
  readonly path: string;
  readonly format: 'parquet' | 'jsonl' | 'csv';
  readonly columns: readonly { readonly name: string; readonly type: string }[];
}

/** DuckDB in this process, without anything of ours around it. */
export class ByHand {
  readonly #connection: DuckDBConnection;
  readonly #close: () => void;

  private constructor(connection: DuckDBConnection, close: () => void) {
    this.#connection = connection;
    this.#close = close;
  }

  static async open(): Promise<ByHand> {
    const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
    const connection = await instance.connect();
    await connection.run("SET TimeZone = 'UTC'");
    return new ByHand(connection, () => {
      connection.closeSync();
      instance.closeSync();
    });
  }

  async writeParquet(select: string, path: string): Promise<void> {
    await this.#connection.run(`COPY (${select}) TO '${path}' (FORMAT parquet)`);
  }

  async columnsOf(path: string): Promise<readonly { readonly name: string; readonly type: string }[]> {
    const reader = await this.#connection.runAndReadAll(`DESCRIBE SELECT * FROM read_parquet('${path}')`);
    return reader.getRowsJson().map(([name, type]) => ({ name: textOf(name), type: textOf(type) }));
  }

  /** The statement over the file as the table `t`, numbered as a dataset is. */
  async answer(file: HandFile, sql: string): Promise<HandAnswer> {
    await this.#connection.run(
      `CREATE OR REPLACE TEMP VIEW t AS SELECT row_number() OVER () AS source_row, * FROM ${readerOf(file)}`,
    );
    const described = await this.#connection.runAndReadAll(`SELECT * FROM (${sql}) LIMIT 0`);
    const columns = described.columnTypes().map((type, index) => ({
      name: described.columnName(index),
      type: nameOf(type),
      isNested: isNested(type),
    }));
    const texts = columns.map(({ isNested: nested }, index) =>
      nested ? `CAST(to_json(c${index}) AS VARCHAR)` : `CAST(c${index} AS VARCHAR)`,
    );
    const aliases = columns.map((_, index) => `c${index}`).join(', ');
    const reader = await this.#connection.runAndReadAll(
      `SELECT ${texts.map((text, index) => `${text} AS c${index}`).join(', ')} FROM (${sql}) AS a(${aliases})`,
    );
    return {
      columns,
      rows: reader.getRowsJson().map((row) => row.map((value) => (value === null ? null : textOf(value)))),
    };
  }

  close(): void {
    this.#close();
  }
}

function readerOf({ path, format, columns }: HandFile): string {
  const types = `{${columns.map(({ name, type }) => `'${name.replaceAll("'", "''")}': '${type.replaceAll("'", "''")}'`).join(', ')}}`;
  switch (format) {
    case 'parquet':
      return `read_parquet('${path}')`;
    case 'jsonl':
      return `read_json('${path}', format = 'newline_delimited', columns = ${types})`;
    case 'csv':
      return `read_csv('${path}', header = true, delim = ',', quote = '"', escape = '"', auto_detect = false, allow_quoted_nulls = false, columns = ${types})`;
  }
}

function nameOf(type: DuckDBType): string {
  return type.alias ?? type.toString();
}

function isNested(type: DuckDBType): boolean {
  return type.alias === 'JSON' || /\[\d*\]$|^(?:STRUCT|MAP)\b/.test(type.toString());
}

/** Every value is selected as text. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
