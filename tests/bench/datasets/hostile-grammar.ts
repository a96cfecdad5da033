/** What a hostile statement would like to reach; all of it really exists beside the server. */
export interface Surroundings {
  /** A text file that holds a secret. */
  readonly secretFile: string;
  /** The rows of another project, as they lie on disk. */
  readonly otherObject: string;
  /** A folder where nothing may appear. */
  readonly loot: string;
  /** An HTTP server where nothing may arrive. */
  readonly url: string;
}

/** `refused`: an error with a stable code. `bounded`: an answer is fine too, as long as it comes in time. */
export interface HostileStatement {
  readonly kind: string;
  readonly sql: string;
  readonly expected: 'refused' | 'bounded';
}

interface Attack {
  readonly kind: string;
  /** Expressions that stand where a table may. */
  readonly tables?: readonly string[];
  /** Expressions that stand where a value may. */
  readonly values?: readonly string[];
  /** Whole statements. */
  readonly statements?: readonly string[];
  /** Whole statements that may be answered. */
  readonly answered?: readonly string[];
}

/** Places where a table can hide. */
const AROUND_TABLE: readonly ((table: string) => string)[] = [
  (table) => `SELECT * FROM ${table}`,
  (table) => `SELECT (SELECT count(*) FROM ${table}) AS n`,
  (table) => `WITH x AS (SELECT * FROM ${table}) SELECT * FROM x`,
  (table) => `WITH x AS MATERIALIZED (SELECT * FROM ${table}), y AS (SELECT * FROM x) SELECT count(*) FROM y`,
  (table) => `SELECT * FROM t, LATERAL (SELECT * FROM ${table}) AS l`,
  (table) => `SELECT * FROM t WHERE EXISTS (SELECT 1 FROM ${table})`,
  (table) => `SELECT 1 AS a UNION ALL SELECT count(*) FROM ${table}`,
  (table) => `SELECT * FROM t WHERE id IN (SELECT 1 FROM ${table}) ORDER BY id`,
  (table) => `SELECT CASE WHEN (SELECT count(*) FROM ${table}) > 0 THEN 'yes' END AS v FROM t`,
  (table) => `WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r, ${table} WHERE n < 3) SELECT * FROM r`,
  (table) => `SELECT list_transform([1], x -> (SELECT count(*) FROM ${table})) AS v`,
  (table) => `((/* nothing */ SELECT * -- here\n FROM ${table}))`,
  (table) => `SELECT row_number() OVER (ORDER BY (SELECT count(*) FROM ${table})) FROM t`,
  (table) => `SELECT * FROM t LEFT JOIN (SELECT * FROM ${table}) AS j ON true`,
  (table) => `SELECT * FROM t PIVOT (count(*) FOR id IN (SELECT 1 FROM ${table}))`,
  (table) => `SELECT * FROM t LIMIT (SELECT count(*) FROM ${table})`,
];

/** Places where a value can hide. */
const AROUND_VALUE: readonly ((value: string) => string)[] = [
  (value) => `SELECT ${value} AS v`,
  (value) => `SELECT * FROM t WHERE CAST(${value} AS VARCHAR) <> ''`,
  (value) => `SELECT list_transform([1], x -> ${value}) AS v`,
  (value) => `SELECT * FROM t ORDER BY CAST(${value} AS VARCHAR)`,
  (value) => `SELECT CASE WHEN true THEN ${value} END AS v FROM t GROUP BY ALL`,
  (value) => `WITH x AS (SELECT ${value} AS v) SELECT v FROM x`,
  (value) => `SELECT struct_pack(a := ${value}) AS v`,
  (value) => `SELECT count(*) FILTER (WHERE ${value} IS NOT NULL) FROM t`,
  (value) => `SELECT coalesce(NULL, ${value}) AS v FROM t LIMIT 1`,
  (value) => `SELECT * REPLACE (${value} AS id) FROM t`,
  (value) => `SELECT max(${value}) OVER () FROM t`,
  (value) => `SELECT unnest([${value}]) AS v`,
];

function attacks({ secretFile, otherObject, loot, url }: Surroundings): readonly Attack[] {
  const readers = [
    'read_text',
    'read_blob',
    'read_csv',
    'read_csv_auto',
    'read_json',
    'read_json_objects',
    'read_ndjson',
    'sniff_csv',
  ];
  const encoded = Array.from(secretFile, (char) => `chr(${char.codePointAt(0)})`).join(' || ');
  return [
    { kind: 'file readers', tables: readers.map((name) => `${name}('${secretFile}')`) },
    {
      kind: 'parquet readers',
      tables: [
        ...[
          'read_parquet',
          'parquet_scan',
          'parquet_schema',
          'parquet_metadata',
          'parquet_file_metadata',
          'parquet_kv_metadata',
          'parquet_bloom_probe',
        ].map((name) => `${name}('${otherObject}')`),
        `read_parquet(['${otherObject}', '${otherObject}'], union_by_name = true, filename = true)`,
      ],
    },
    {
      kind: 'globs',
      tables: [
        `glob('/**')`,
        `glob('${loot}/*')`,
        `read_parquet('/**/*.parquet')`,
        `'../../**/*.parquet'`,
        `read_text('*')`,
      ],
    },
    {
      kind: 'replacement scans',
      tables: [
        `'${secretFile}'`,
        `"${otherObject}"`,
        `'${otherObject}'`,
        `"file://${secretFile}"`,
        `'t.parquet'`,
        `'/proc/self/environ'`,
        `'/dev/zero'`,
        `main."${otherObject}"`,
      ],
    },
    {
      kind: 'reader disguises',
      tables: [
        `"read_text"('${secretFile}')`,
        `READ_TEXT('${secretFile}')`,
        `main.read_text('${secretFile}')`,
        `system.main.read_text('${secretFile}')`,
        `"ReAd_BlOb"('${secretFile}')`,
        `read_text(${encoded})`,
        `read_text((SELECT '${secretFile}'))`,
        `read_text/**/('${secretFile}')`,
        `read_text($$${secretFile}$$)`,
        `read_text(E'\\x2f' || 'etc/passwd')`,
      ],
    },
    {
      kind: 'devices',
      tables: [
        `read_text('/proc/self/environ')`,
        `read_blob('/proc/self/mem')`,
        `read_csv('/dev/random')`,
        `read_text('/proc/self/fd/0')`,
        `read_text('/dev/stdin')`,
      ],
    },
    {
      kind: 'network',
      tables: [
        `read_csv('${url}/x.csv')`,
        `read_parquet('${url}/x.parquet')`,
        `'${url}/x.json'`,
        `read_text('${url}/x')`,
        `read_parquet('s3://bucket/x.parquet')`,
        `read_csv('hf://datasets/x/y.csv')`,
        `read_json('gcs://b/x')`,
        `read_text('azure://b/x')`,
      ],
    },
    {
      kind: 'extensions',
      statements: [
        'INSTALL httpfs',
        'LOAD httpfs',
        `INSTALL x FROM '${url}'`,
        `LOAD '${loot}/x.duckdb_extension'`,
        'FORCE INSTALL postgres',
        'UPDATE EXTENSIONS',
        'INSTALL shellfs FROM community',
        'LOAD json',
      ],
    },
    {
      kind: 'attach',
      statements: [
        `ATTACH '${loot}/x.db'`,
        `ATTACH '${loot}/x.db' AS o (READ_ONLY)`,
        `ATTACH ':memory:' AS m`,
        `ATTACH '${url}/x.db' AS w`,
        `ATTACH 'dbname=postgres' AS p (TYPE postgres)`,
        'DETACH memory',
        'USE memory.main',
        `ATTACH IF NOT EXISTS '${otherObject}' AS q`,
      ],
    },
    {
      kind: 'copy',
      statements: [
        `COPY t TO '${loot}/t.csv'`,
        `COPY (SELECT 1) TO '${loot}/t.parquet' (FORMAT parquet)`,
        `COPY t FROM '${secretFile}'`,
        `COPY FROM DATABASE memory TO memory`,
        `SELECT 1; COPY t TO '${loot}/t.json'`,
        `WITH x AS (SELECT 1) COPY x TO '${loot}/x.csv'`,
        `SELECT * FROM (COPY t TO '${loot}/t.csv')`,
        `SELECT 1) TO '${loot}/t.csv' --`,
      ],
    },
    {
      kind: 'export',
      statements: [
        `EXPORT DATABASE '${loot}/e'`,
        `EXPORT DATABASE '${loot}/e' (FORMAT parquet)`,
        `IMPORT DATABASE '${loot}/e'`,
        'CHECKPOINT',
        'FORCE CHECKPOINT',
      ],
    },
    {
      kind: 'pragmas',
      statements: [
        'PRAGMA database_list',
        'PRAGMA show_tables',
        `PRAGMA enable_profiling='json'`,
        `PRAGMA profiling_output='${loot}/p.json'`,
        'PRAGMA version',
        'PRAGMA threads=64',
        `PRAGMA temp_directory='${loot}'`,
        "CALL pragma_table_info('t')",
        'PRAGMA enable_object_cache',
      ],
      tables: [
        `pragma_database_list()`,
        `pragma_table_info('t')`,
        `pragma_storage_info('t')`,
        `pragma_version()`,
        `pragma_user_agent()`,
      ],
    },
    {
      kind: 'settings',
      statements: [
        'SET threads = 64',
        "SET memory_limit = '1TB'",
        'SET enable_external_access = true',
        'SET lock_configuration = false',
        'RESET lock_configuration',
        'SET GLOBAL threads = 8',
        "SET SESSION TimeZone = 'x'",
        `SET allowed_directories = ['/']`,
        `SET VARIABLE x = 1`,
        `RESET VARIABLE x`,
        `SET temp_directory = '${loot}'`,
      ],
      values: [
        `current_setting('allowed_paths')`,
        `"current_setting"('temp_directory')`,
        `main.current_setting('secret_directory')`,
        `system.main.current_setting('threads')`,
        `'allowed_paths'.current_setting()`,
        `Current_Setting('home_directory')`,
      ],
      tables: ['duckdb_settings()', 'duckdb_settings', 'pg_settings', 'pg_catalog.pg_settings'],
    },
    {
      kind: 'catalog',
      tables: [
        'duckdb_views()',
        'duckdb_tables()',
        'duckdb_databases()',
        'duckdb_temporary_files()',
        'duckdb_secrets()',
        'duckdb_extensions()',
        'duckdb_functions()',
        'duckdb_logs',
        'sqlite_master',
        'information_schema.tables',
        'information_schema.views',
        'pg_catalog.pg_views',
        'pg_views',
        'memory.main.t',
        'main.t',
        'system.information_schema.columns',
        'duckdb_dependencies()',
        'duckdb_memory()',
        'duckdb_prepared_statements()',
      ],
      values: [
        `pg_get_viewdef(1)`,
        `pg_typeof(1)`,
        `obj_description(1)`,
        `has_table_privilege('t', 'select')`,
        `which_secret('s3://x', 's3')`,
        `inet_server_addr()`,
      ],
    },
    {
      kind: 'environment',
      values: [
        `getenv('PATH')`,
        `GETENV('HOME')`,
        `"getenv"('OVERMIND_API_KEY')`,
        `main.getenv('DATABASE_URL')`,
        `'PATH'.getenv()`,
        `getvariable('x')`,
      ],
    },
    {
      kind: 'text as SQL',
      tables: [
        `query('SELECT * FROM duckdb_settings()')`,
        `query_table('t')`,
        `query_table(['t'])`,
        `"query"('SELECT 1')`,
        `json_execute_serialized_sql(json_serialize_sql('SELECT 1'))`,
        `query('COPY t TO ''${loot}/q.csv''')`,
        `sql_auto_complete('SEL')`,
      ],
      values: [
        `json_serialize_sql('SELECT 1')`,
        `json_deserialize_sql('{}')`,
        `json_serialize_plan('SELECT * FROM t')`,
      ],
    },
    {
      kind: 'changes',
      statements: [
        'DROP VIEW t',
        'DELETE FROM t',
        'INSERT INTO t VALUES (1)',
        'UPDATE t SET id = 1',
        'CREATE TABLE x AS SELECT 1',
        'CREATE OR REPLACE VIEW t AS SELECT 1',
        'ALTER VIEW t RENAME TO u',
        'TRUNCATE t',
        'MERGE INTO t USING t AS s ON true WHEN MATCHED THEN DELETE',
        'VACUUM',
        'ANALYZE',
        "COMMENT ON VIEW t IS 'x'",
        'WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x',
        'SELECT * INTO x FROM t',
        'CREATE SECRET s (TYPE s3)',
        "CREATE TYPE e AS ENUM ('a')",
        'CREATE SEQUENCE s',
      ],
    },
    {
      kind: 'macros',
      statements: [
        `CREATE MACRO leak() AS TABLE SELECT * FROM read_text('${secretFile}')`,
        'CREATE FUNCTION f(x) AS getenv(x)',
        'CREATE TEMP MACRO m(x) AS x',
        'DROP MACRO m',
        `WITH MACRO m(x) AS (x) SELECT m(1)`,
      ],
    },
    {
      kind: 'many statements',
      statements: [
        'SELECT 1; SELECT 2',
        'SELECT 1;;SELECT 2',
        ';SELECT 1;DROP VIEW t',
        `SELECT 1; ATTACH '${loot}/m.db'`,
        'SELECT 1 /* ; */; SELECT 2 --',
        'BEGIN; SELECT 1; COMMIT',
        'SELECT 1\u0003; DROP VIEW t',
        "SELECT ';'; SET threads = 9",
      ],
    },
    {
      kind: 'prepared',
      statements: [
        'PREPARE p AS SELECT 1',
        'EXECUTE p',
        'DEALLOCATE p',
        'SELECT $1',
        'SELECT ?',
        'SELECT $name',
        'SELECT * FROM t WHERE id = ?1',
        'EXECUTE p(1)',
      ],
    },
    {
      kind: 'other statements',
      statements: [
        'EXPLAIN SELECT 1',
        'EXPLAIN ANALYZE SELECT * FROM t',
        'DESCRIBE t',
        'SHOW ALL TABLES',
        'SUMMARIZE t',
        'SELECT * FROM (DESCRIBE t)',
        'SELECT * FROM (SHOW TABLES)',
        'FROM t',
        'TABLE t',
        'VALUES (1)',
        'CALL duckdb_settings()',
        'ROLLBACK',
        '',
        ';',
        '--',
        '/* open',
      ],
    },
    {
      kind: 'functions that wait or write',
      values: ['sleep_ms(60000)', "write_log('x')", "nextval('s')", "currval('s')", 'setseed(0.5)', "error('stop')"],
    },
    {
      kind: 'endless recursion',
      statements: [
        'WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT max(n) FROM r',
        'WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n FROM r) SELECT count(*) FROM r',
        'WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT a.n + 1 FROM r a, r b) SELECT count(*) FROM r',
        "WITH RECURSIVE r AS (SELECT 'x' AS s UNION ALL SELECT s || s FROM r) SELECT max(length(s)) FROM r",
        'WITH RECURSIVE r AS (SELECT random() AS x UNION SELECT random() FROM r) SELECT count(*) FROM r',
        'WITH RECURSIVE r(a, b) USING KEY (a) AS (SELECT 1, 1 UNION SELECT a, b + 1 FROM r) SELECT * FROM r',
      ],
    },
    {
      kind: 'cartesian products',
      statements: [
        'SELECT count(*) FROM range(1000000000) a, range(1000000000) b WHERE a.range % 7 = b.range % 11',
        'SELECT sum(a.range * b.range) FROM range(100000000) a JOIN range(100000000) b ON a.range <> b.range',
        'SELECT count(*) FROM t a, t b, t c, t d, range(1000000) e, range(1000000) f WHERE e.range + f.range > a.id',
        'SELECT count(DISTINCT a.range * 31 + b.range) FROM range(1000000) a, range(100000) b',
        'SELECT max(md5(a.range::VARCHAR || b.range)) FROM range(10000000) a, range(10000000) b',
        'SELECT a.range, b.range FROM range(10000000) a, range(10000000) b ORDER BY md5((a.range + b.range)::VARCHAR)',
      ],
    },
    {
      kind: 'long texts and lists',
      statements: [
        "SELECT repeat('x', 3000000000) AS v",
        "SELECT repeat(repeat('x', 1000000), 1000000) AS v",
        "SELECT string_agg(repeat('x', 100000), '') FROM range(100000)",
        'SELECT list(a.range) FROM range(1000000000) a',
        'SELECT list_sort(range(500000000))[1]',
        "SELECT array_agg(repeat('y', 1000000)) FROM range(10000)",
        "SELECT lpad('', 2000000000, 'ab')",
        'SELECT list_reduce(range(2000000000), (a, b) -> a + b)',
        "SELECT map_from_entries(list_transform(range(100000000), x -> {'k': x, 'v': x}))",
        'SELECT bar(1, 0, 1, 2000000000)',
        "SELECT len(list_transform(range(200000000), x -> repeat('z', 100)))",
        "SELECT string_split(repeat('a,', 200000000), ',')",
      ],
    },
    {
      kind: 'sorts and groups',
      statements: [
        'SELECT count(*) FROM (SELECT DISTINCT a.range, b.range FROM range(100000) a, range(100000) b)',
        'SELECT md5(range::VARCHAR) AS m FROM range(1000000000) ORDER BY m',
        'SELECT quantile(range, 0.5) FROM range(10000000000)',
        'SELECT range % 100000007 AS k, count(*) FROM range(100000000000) GROUP BY k',
        'SELECT sum(range) OVER (ORDER BY md5(range::VARCHAR) ROWS BETWEEN 1000000 PRECEDING AND 1000000 FOLLOWING) FROM range(1000000000)',
        'SELECT mode(range) FROM range(100000000000)',
      ],
    },
    {
      kind: 'patterns',
      answered: [
        "SELECT regexp_matches(repeat('a', 1000000), '(a+)+$') AS v",
        "SELECT regexp_replace(repeat('a', 5000000), '(a|aa)*b', 'x', 'g') AS v",
        "SELECT regexp_extract_all(repeat('ab', 1000000), '(a.)*') AS v",
        "SELECT regexp_matches('x', repeat('(', 1000)) AS v",
        "SELECT regexp_matches('x', 'a{1000}{1000}{1000}') AS v",
        "SELECT repeat('a', 100000) LIKE repeat('%a', 1000) || 'b' AS v",
        "SELECT levenshtein(repeat('a', 200000), repeat('b', 200000)) AS v",
        "SELECT repeat('a', 1000000) SIMILAR TO '(a*)*b' AS v",
        "SELECT jaro_winkler_similarity(repeat('ab', 100000), repeat('ba', 100000)) AS v",
        "SELECT repeat('ab', 100000) GLOB repeat('*a', 300) || 'c' AS v",
      ],
    },
    {
      kind: 'deep nesting',
      answered: [
        `SELECT ${'('.repeat(900)}1${')'.repeat(900)} AS v`,
        `SELECT ${'('.repeat(3_900)}1${')'.repeat(3_900)} AS v`,
        `SELECT ${'-'.repeat(3_000)}1 AS v`,
        `SELECT ${'NOT '.repeat(1_500)}true AS v`,
        `SELECT ${Array.from({ length: 1_900 }, () => '1').join('+')} AS v`,
        `SELECT ${'['.repeat(1_500)}1${']'.repeat(1_500)} AS v`,
        `${'SELECT * FROM ('.repeat(400)}SELECT 1${')'.repeat(400)}`,
        `SELECT ${'CASE WHEN true THEN '.repeat(200)}1${' END'.repeat(200)} AS v`,
        `SELECT ${'abs('.repeat(1_500)}1${')'.repeat(1_500)} AS v`,
        `SELECT '${'['.repeat(3_500)}'::JSON AS v`,
        `SELECT json_extract(repeat('[', 3000000) || repeat(']', 3000000), '$[0]') AS v`,
        `SELECT CAST(repeat('[', 100000) || repeat(']', 100000) AS INTEGER[][][]) AS v`,
        `SELECT 1 ${'UNION SELECT 1 '.repeat(500)}`,
      ],
    },
    {
      kind: 'wide answers',
      answered: [
        `SELECT ${Array.from({ length: 201 }, (_, index) => `1 AS c${index}`).join(', ')}`,
        `SELECT ${'t.*, '.repeat(150)}1 FROM t`,
        'SELECT unnest(range(100000)) AS v',
        "SELECT repeat('é', 200000) AS v FROM range(100)",
        'SELECT * FROM range(1000000000)',
        'SELECT range(100000) AS v FROM range(1000)',
        "SELECT list_transform(range(5000), x -> repeat('x', 5000)) AS v",
        `SELECT MAP {${Array.from({ length: 500 }, (_, index) => `'k${index}': 1`).join(', ')}} AS v`,
      ],
    },
    {
      kind: 'characters',
      answered: [
        'SELECT\u00a0*\u00a0FROM\u00a0t',
        'SELECT * FROM \u202et',
        'SELECT 1 AS "\u{e0041}\u{e0042}"',
        'ＳＥＬＥＣＴ * FROM t',
        'SELECT * FROM т',
        "SELECT '\u2028\u2029' AS v",
        'SELECT 1 AS "a\u200bb", 2 AS "ab"',
        `SELECT '${'🎉'.repeat(1_500)}' AS v`,
        "SELECT U&'\\0000' AS v",
        'SELECT chr(0) AS v',
        "SELECT '\\xFF'::BLOB::VARCHAR AS v",
        'SELECT 1 AS "__proto__", 2 AS "constructor"',
        "SELECT E'\\u0000' AS v",
        'SELECT ı FROM t',
        'ſELECT * FROM t',
      ],
    },
    {
      kind: 'shadowing',
      statements: [
        'WITH sqlite_master AS (SELECT 1 AS x) SELECT * FROM sqlite_master',
        'WITH a AS (WITH duckdb_settings AS (SELECT 1) SELECT 1) SELECT * FROM duckdb_settings',
        'WITH pg_views AS (SELECT 1) SELECT * FROM pg_catalog.pg_views',
        'WITH information_schema AS (SELECT 1 AS tables) SELECT * FROM information_schema.tables',
        `WITH a AS (WITH "${otherObject}" AS (SELECT 1) SELECT 1) SELECT * FROM "${otherObject}"`,
        `WITH a AS (WITH "${secretFile}" AS (SELECT 1) SELECT 1) SELECT * FROM "${secretFile}"`,
        'SELECT * FROM t AS t2, (SELECT * FROM duckdb_views) AS t3',
      ],
    },
    {
      kind: 'where rows come from',
      statements: [
        'SELECT filename FROM t',
        'SELECT t.filename FROM t',
        'SELECT file_row_number, filename FROM t',
        'SELECT "filename" FROM t LIMIT 1',
        'SELECT file_index FROM t',
        "SELECT struct_extract(t, 'filename') FROM t",
      ],
    },
    {
      kind: 'arithmetic and types',
      answered: [
        'SELECT factorial(33) AS v',
        'SELECT 10::HUGEINT ** 400 AS v',
        "SELECT 'x'::INTEGER AS v",
        'SELECT 1 / 0 AS v',
        "SELECT DATE '999999-01-01' + INTERVAL 999999999 YEAR AS v",
        "SELECT TIMESTAMP 'infinity' - TIMESTAMP '-infinity' AS v",
        'SELECT (-9223372036854775808)::BIGINT / -1 AS v',
        "SELECT strftime(DATE '2026-01-01', repeat('%Y', 100000)) AS v",
        "SELECT printf('%999999999d', 1) AS v",
        "SELECT format('{:>999999999}', 1) AS v",
        'SELECT generate_series(1, 9223372036854775807) AS v',
        'SELECT range(0, 10, 0) AS v',
        "SELECT bitstring('0', 2000000000) AS v",
      ],
    },
  ];
}

/** Every attack of the grammar in every place it can stand, each statement once; the kinds in their order. */
function everyStatement(surroundings: Surroundings): readonly HostileStatement[] {
  const found = new Map<string, HostileStatement>();
  const add = (statement: HostileStatement): void =>
    void (found.has(statement.sql) || found.set(statement.sql, statement));
  for (const { kind, tables = [], values = [], statements = [], answered = [] } of attacks(surroundings)) {
    for (const table of tables)
      for (const around of AROUND_TABLE) add({ kind, sql: around(table), expected: 'refused' });
    for (const value of values)
      for (const around of AROUND_VALUE) add({ kind, sql: around(value), expected: 'refused' });
    for (const sql of statements) add({ kind, sql, expected: 'refused' });
    for (const sql of answered) add({ kind, sql, expected: 'bounded' });
  }
  return [...found.values()];
}

/**
 * `count` of them, the same for the same seed: each kind gives as many as its turn comes, so small counts hold one of
 * each kind and large ones all the rare.
 */
export function hostileStatements(
  surroundings: Surroundings,
  count: number,
  seed: number,
): readonly HostileStatement[] {
  const random = randomOf(seed);
  const byKind = new Map<string, HostileStatement[]>();
  for (const statement of everyStatement(surroundings)) {
    byKind.set(statement.kind, [...(byKind.get(statement.kind) ?? []), statement]);
  }
  const rows = [...byKind.values()].map((statements) => shuffled(statements, random));
  const chosen: HostileStatement[] = [];
  for (let turn = 0; chosen.length < count && turn < Math.max(...rows.map(({ length }) => length)); turn += 1) {
    for (const row of rows) {
      const statement = row[turn];
      if (statement !== undefined && chosen.length < count) chosen.push(statement);
    }
  }
  return shuffled(chosen, random);
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  return items
    .map((item) => ({ item, at: random() }))
    .sort((left, right) => left.at - right.at)
    .map(({ item }) => item);
}

/** A small generator of the linear kind: what is wanted is the same order again, not secrecy. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
