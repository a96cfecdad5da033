/** A column as the engine names it and its type. */
export interface ContentColumn {
  readonly name: string;
  readonly type: string;
}

/** Space in the sense of JavaScript, which is that of the rest of the product. */
const SPACE_ONLY = String.raw`[\s\x0b\p{Z}\x{FEFF}]*`;

/**
 * What makes two rows of `t` the same example: their conversation, else what went in and came out, else everything.
 * An expression of 16 bytes, whatever the size of the row.
 */
export function contentDigest(columns: readonly ContentColumn[]): string {
  const [messages, input] = [valueText(columns, 'messages'), valueText(columns, 'input')];
  const output = valueText(columns, 'output');
  const all = columns.map(({ name }) => `${literal(name)}: ${quoted(name)}`).join(', ');
  return (
    `md5_number(CASE WHEN NOT ${isBlank(messages)} THEN ${messages} WHEN NOT ${isBlank(input)} ` +
    `THEN CAST(to_json([${input}, ${output}]) AS VARCHAR) ELSE CAST(to_json({${all}}) AS VARCHAR) END)`
  );
}

/** The value of a column as text, what is no text as JSON; NULL where there is no such column and where JSON says null. */
export function valueText(columns: readonly ContentColumn[], name: string): string {
  const type = columns.find((column) => column.name === name)?.type;
  const column = quoted(name);
  if (type === undefined) return 'CAST(NULL AS VARCHAR)';
  if (type === 'VARCHAR') return column;
  if (type !== 'JSON') return `CAST(to_json(${column}) AS VARCHAR)`;
  return `CASE WHEN json_valid(${column}) THEN json_extract_string(${column}, '$') ELSE CAST(${column} AS VARCHAR) END`;
}

/** Whether a text expression is NULL or nothing but space. */
export function isBlank(text: string): string {
  return `coalesce(regexp_full_match(${text}, ${literal(SPACE_ONLY)}), true)`;
}

/** A name like the wanted one, which is in lower case, that none of the columns has. */
export function unusedName(wanted: string, columns: readonly Pick<ContentColumn, 'name'>[]): string {
  const taken = new Set(columns.map(({ name }) => name.toLowerCase()));
  let name = wanted;
  while (taken.has(name)) name += '_';
  return name;
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
