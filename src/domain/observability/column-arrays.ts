type Cell = string | number | undefined;

/** A column of a bulk statement: its name, its type, and where a row has its value. */
export type Column<Row> = readonly [name: string, type: string, valueOf: (row: Row) => Cell];

export function namesOf<Row>(columns: readonly Column<Row>[]): string {
  return columns.map(([name]) => name).join(', ');
}

/** The arguments of `unnest`: one array parameter per column. */
export function arrayMarks<Row>(columns: readonly Column<Row>[]): string {
  return columns.map(([, type]) => `?::${type}[]`).join(', ');
}

/** The bindings for `arrayMarks`, in the same order; an absent value is null. */
export function arraysOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): readonly string[][] {
  const arrays = columns.map(([, , valueOf]) => rows.map((row) => valueOf(row) ?? null));
  // because the query builder's types know no array of mixed cells, and the driver writes each by its own kind
  return arrays as unknown as readonly string[][];
}
