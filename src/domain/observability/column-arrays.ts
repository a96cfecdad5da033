type Cell = string | number | boolean | undefined;

/** A column of a bulk statement: its name, its type, and where a row has its value. JSON is written from the object. */
export type Column<Row> =
  | readonly [name: string, type: 'json', valueOf: (row: Row) => object | undefined]
  | readonly [name: string, type: Exclude<string, 'json'>, valueOf: (row: Row) => Cell];

/** JSON holds neither character as it is, so many JSON texts can travel as one without a single escape. */
const BETWEEN = '\u0001';
const ABSENT = '\u0002';

export function namesOf<Row>(columns: readonly Column<Row>[]): string {
  return columns.map(([name]) => name).join(', ');
}

/** The arguments of `unnest`: one parameter per column. */
export function arrayMarks<Row>(columns: readonly Column<Row>[]): string {
  return columns
    .map(([, type]) => (type === 'json' ? `string_to_array(?::text, E'\\x01', E'\\x02')::json[]` : `?::${type}[]`))
    .join(', ');
}

/** The bindings for `arrayMarks`, in the same order; an absent value is null. */
export function arraysOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): readonly string[][] {
  const bindings = columns.map(([, type, valueOf]) =>
    type === 'json' ? joinedJson(rows, valueOf) : rows.map((row) => valueOf(row) ?? null),
  );
  // because the query builder's types know no array of mixed cells, and the driver writes each by its own kind
  return bindings as unknown as readonly string[][];
}

/** Neighbours often share one object, such as the attributes of their resource; it is written once. */
function joinedJson<Row>(rows: readonly Row[], valueOf: (row: Row) => unknown): string {
  let last: unknown;
  let text = ABSENT;
  const texts = rows.map((row) => {
    const value = valueOf(row);
    if (value !== last) {
      last = value;
      text = value === undefined ? ABSENT : JSON.stringify(value);
    }
    return text;
  });
  return texts.join(BETWEEN);
}
