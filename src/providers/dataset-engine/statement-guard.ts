/** The statement breaks a rule or does not run; the message is for its author. */
export class StatementFault extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StatementFault';
  }
}

const TABLE = 't';

/** Functions that may stand in FROM. All others reach files, settings, the catalog or run text as SQL. */
const TABLE_FUNCTIONS: ReadonlySet<string> = new Set(['generate_series', 'json_each', 'json_tree', 'range', 'unnest']);

/**
 * Functions that show settings or the catalog (which know the file's path), run text as SQL, or only wait.
 * The engine's own lock on files and configuration holds without this list; it keeps the path to ourselves.
 */
const FORBIDDEN_FUNCTION =
  /^(?:current_setting|set_config|getenv|getvariable|pg_.*|has_.*privilege|inet_.*|.*obj_description|col_description|duckdb_.*|pragma_.*|read_.*|parquet_.*|query|query_table|json_(?:serialize|deserialize|execute).*|sql_auto_complete|glob|sniff_csv|seq_scan|nextval|currval|write_log|sleep_ms|setseed|stats)$/;

const CATALOG_NAME = /^(?:sqlite_|pg_|duckdb_|pragma_|information_schema)/;

/** What the walk needs to know of one object in the parsed statement. */
type Node = Readonly<Record<string, unknown>>;

/** Whether the first word, after comments and opening brackets, is SELECT or WITH. */
export function beginsAsSelect(sql: string): boolean {
  let rest = sql.trimStart();
  for (;;) {
    if (rest.startsWith('--')) rest = after(rest, '\n');
    else if (rest.startsWith('/*')) rest = after(rest.slice(2), '*/');
    else if (rest.startsWith('(')) rest = rest.slice(1);
    else return /^(?:select|with)\b/i.test(rest);
    rest = rest.trimStart();
  }
}

/**
 * Refuses a parsed statement (the engine's own syntax tree) that names anything but `t`, its own subqueries and the
 * tables made for it.
 */
export function checkStatement(tree: unknown, tables: readonly string[] = []): void {
  const nodes = [...walk(tree)];
  const own = new Set([...tables, ...nodes.flatMap(declaredNames)]);
  for (const name of own) {
    if (CATALOG_NAME.test(name)) throw new StatementFault(`A subquery cannot be called ${name}; choose another name.`);
  }
  for (const node of nodes) checkNode(node, own);
}

function checkNode(node: Node, own: ReadonlySet<string>): void {
  if (node['type'] === 'SHOW_REF')
    throw new StatementFault('DESCRIBE, SHOW and SUMMARIZE are not available; use SELECT.');
  if (node['type'] === 'BASE_TABLE') checkTable(node, own);
  if (node['class'] === 'PARAMETER') throw new StatementFault('Parameters are not available; write the value itself.');
  if (node['type'] === 'TABLE_FUNCTION') {
    const name = lower(isNode(node['function']) ? node['function']['function_name'] : undefined);
    if (!TABLE_FUNCTIONS.has(name)) throw new StatementFault(`The function ${name} is not available in FROM.`);
  }
  if (typeof node['function_name'] === 'string' && FORBIDDEN_FUNCTION.test(lower(node['function_name']))) {
    throw new StatementFault(`The function ${lower(node['function_name'])} is not available.`);
  }
}

function checkTable(node: Node, own: ReadonlySet<string>): void {
  const name = lower(node['table_name']);
  const qualified = lower(node['schema_name']) !== '' || lower(node['catalog_name']) !== '';
  if (!qualified && (name === TABLE || own.has(name))) return;
  throw new StatementFault('Only the table t can be read; it holds the rows of the dataset version.');
}

function declaredNames(node: Node): readonly string[] {
  const ctes = isNode(node['cte_map']) ? node['cte_map']['map'] : undefined;
  if (!Array.isArray(ctes)) return [];
  return ctes.filter(isNode).map((entry) => lower(entry['key']));
}

/** Every object in the tree. A loop with its own stack: the depth of the tree is the author's choice. */
function* walk(tree: unknown): Iterable<Node> {
  const waiting: unknown[] = [tree];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (Array.isArray(next)) for (const item of next) waiting.push(item);
    if (!isNode(next)) continue;
    yield next;
    for (const item of Object.values(next)) waiting.push(item);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function lower(value: unknown): string {
  return typeof value === 'string' ? value.toLowerCase() : '';
}

function after(text: string, mark: string): string {
  const at = text.indexOf(mark);
  return at === -1 ? '' : text.slice(at + mark.length);
}
