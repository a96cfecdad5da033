import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api';
import { ConversationTally } from '../../domain/datasets/conversation-tally.ts';
import { EXAMPLES_MAX } from '../../domain/datasets/row-facts.ts';
import type { RowFacts, RowTally } from '../../domain/datasets/row-facts.ts';
import { contentDigest, isBlank, valueText } from '../../domain/datasets/row-content.ts';
import { identifier } from './engine-database.ts';
import { describe } from './write-tasks.ts';
import type { ColumnType } from './write-tasks.ts';

const NO_ROWS: RowTally = { count: 0, examples: [] };

/** Counts what a version's rows come to, as JSON text of `RowFacts`. Only conversations leave the engine's own code. */
export async function measureTable(connection: DuckDBConnection, identity: string): Promise<string> {
  const columns = (await describe(connection, 't')).filter(({ name }) => name !== identity);
  const count = new RowCount(connection, columns, identity);
  const tally = await count.conversations();
  const facts: RowFacts = {
    ...(await count.facts(tally?.unanswered())),
    ...(tally && { conversations: tally.close() }),
  };
  return JSON.stringify(facts);
}

class RowCount {
  readonly #connection: DuckDBConnection;
  readonly #columns: readonly ColumnType[];
  readonly #at: string;

  constructor(connection: DuckDBConnection, columns: readonly ColumnType[], identity: string) {
    this.#connection = connection;
    this.#columns = columns;
    this.#at = identifier(identity);
  }

  /** Undefined without a column of messages. */
  async conversations(): Promise<ConversationTally | undefined> {
    if (!this.#has('messages')) return undefined;
    const tally = new ConversationTally();
    const [messages, tools] = [this.#text('messages'), this.#text('tools')];
    const hasOutput = `NOT ${isBlank(this.#text('output'))}`;
    const result = await this.#connection.stream(`SELECT ${this.#at}, ${messages}, ${tools}, ${hasOutput} FROM t`);
    for await (const chunk of result) {
      const [rows, texts, lists, outputs] = [0, 1, 2, 3].map((index) => chunk.getColumnValues(index));
      for (let index = 0; index < chunk.rowCount; index += 1) {
        const [messagesText, toolsText] = [textOrNull(texts?.[index]), textOrNull(lists?.[index])];
        tally.add(Number(rows?.[index]), messagesText, toolsText, outputs?.[index] === true);
      }
    }
    return tally;
  }

  /** `unanswered` are the rows without an output where that has been looked for in their conversations too. */
  async facts(unanswered: RowTally | undefined): Promise<RowFacts> {
    const [emptyInput, emptyOutput] = [this.#isEmpty('input'), isBlank(this.#text('output'))];
    const [input, output] = [lengthOf(this.#text('input')), lengthOf(this.#text('output'))];
    const expected = this.#text('expected_output');
    const reference = `CASE WHEN NOT ${isBlank(expected)} THEN ${expected} END`;
    const failed = this.#has('status') ? `${this.#text('status')} IS NOT DISTINCT FROM 'error'` : 'false';
    const [row = []] = await this.#rows(
      `SELECT count(*), count(${reference}), coalesce(min(${reference}) = max(${reference}), false), count_if(${emptyInput}), ` +
        `count_if(${emptyOutput}), count_if(${failed}), coalesce(sum(${input}), 0), coalesce(sum(${output}), 0), ` +
        `coalesce(max(greatest(${lengthOf(this.#text('messages'))}, ${input} + ${output})), 0) FROM t`,
    );
    const at = (index: number): number => Number(row[index] ?? 0);
    const tally = async (index: number, condition: string): Promise<RowTally> =>
      at(index) === 0 ? NO_ROWS : { count: at(index), examples: await this.#examples(`t WHERE ${condition}`) };
    return {
      rows: at(0),
      references: at(1),
      hasOneReference: row[2] === true,
      ...(this.#has('input') && { emptyInputs: await tally(3, emptyInput) }),
      emptyOutputs: this.#has('output') ? (unanswered ?? (await tally(4, emptyOutput))) : NO_ROWS,
      failedTraces: await tally(5, failed),
      inputCharacters: at(6),
      outputCharacters: at(7),
      longestCharacters: at(8),
      repeated: await this.#repeated(),
    };
  }

  /** Digests of 16 bytes instead of contents, in a table that may spill. */
  async #repeated(): Promise<RowTally> {
    const digest = contentDigest(this.#columns);
    await this.#connection.run(`CREATE TEMP TABLE digests AS SELECT ${this.#at}, ${digest} AS digest FROM t`);
    await this.#connection.run(
      'CREATE TEMP TABLE repeats AS SELECT digest, min(rowid) AS earliest, count(*) - 1 AS again FROM digests GROUP BY digest HAVING count(*) > 1',
    );
    const [[again] = []] = await this.#rows('SELECT coalesce(sum(again), 0) FROM repeats');
    if (Number(again) === 0) return NO_ROWS;
    const examples = await this.#examples(
      'digests JOIN repeats USING (digest) WHERE digests.rowid > earliest ORDER BY digests.rowid',
    );
    return { count: Number(again), examples };
  }

  async #examples(source: string): Promise<readonly number[]> {
    return (await this.#rows(`SELECT ${this.#at} FROM ${source} LIMIT ${EXAMPLES_MAX}`)).map(([row]) => Number(row));
  }

  async #rows(sql: string): Promise<readonly (readonly DuckDBValue[])[]> {
    return (await this.#connection.runAndReadAll(sql)).getRows();
  }

  #has(name: string): boolean {
    return this.#columns.some((column) => column.name === name);
  }

  #text(name: string): string {
    return valueText(this.#columns, name);
  }

  #isEmpty(name: string): string {
    const text = this.#text(name);
    const isText = this.#columns.some((column) => column.name === name && column.type === 'VARCHAR');
    return isText ? isBlank(text) : `(${isBlank(text)} OR ${text} = '[]')`;
  }
}

function lengthOf(text: string): string {
  return `coalesce(length(${text}), 0)`;
}

function textOrNull(value: DuckDBValue | undefined): string | null {
  return typeof value === 'string' ? value : null;
}
