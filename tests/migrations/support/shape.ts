import type { Db } from '../../../src/db/database.ts';

/** What servers that write to the tables rely on: each column with its kind, and every rule rows must keep. */
export interface Shape {
  readonly columns: ReadonlyMap<string, { readonly table: string; readonly type: string; readonly optional: boolean }>;
  readonly rules: ReadonlyMap<string, string>;
}

export async function shapeOf(db: Db): Promise<Shape> {
  const { rows: columns } = await db.raw<{
    rows: { table: string; name: string; type: string; optional: boolean }[];
  }>(
    `select table_name as table, column_name as name, data_type as type,
       is_nullable = 'YES' or column_default is not null or is_generated = 'ALWAYS' as optional
     from information_schema.columns where table_schema = 'public'`,
  );
  const { rows: rules } = await db.raw<{ rows: { table: string; rule: string }[] }>(
    `select conrelid::regclass::text as table, pg_get_constraintdef(oid) as rule from pg_constraint
     where connamespace = 'public'::regnamespace
     union all select tablename, indexdef from pg_indexes where schemaname = 'public' and indexdef like '%UNIQUE%'`,
  );
  return {
    columns: new Map(columns.map(({ name, ...column }) => [`${column.table}.${name}`, column])),
    rules: new Map(rules.map(({ table, rule }) => [`${table}: ${rule}`, table])),
  };
}

/** What statements written for the shape before can stumble over in the shape after. */
export function lostBetween(before: Shape, after: Shape): readonly string[] {
  const tables = new Set([...before.columns.values()].map(({ table }) => table));
  const lost = [...before.columns].flatMap(([name, was]) => {
    const is = after.columns.get(name);
    if (is === undefined) return [`${name} is gone`];
    if (is.type !== was.type) return [`${name} is ${is.type} instead of ${was.type}`];
    return was.optional && !is.optional ? [`${name} must be given`] : [];
  });
  const demanded = [...after.columns].flatMap(([name, is]) =>
    tables.has(is.table) && !before.columns.has(name) && !is.optional ? [`${name} must be given`] : [],
  );
  const rules = [...after.rules].flatMap(([rule, table]) =>
    tables.has(table) && !before.rules.has(rule) ? [`${rule} must hold`] : [],
  );
  return [...lost, ...demanded, ...rules];
}
