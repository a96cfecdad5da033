import { AppError } from '../../kernel/errors.ts';
import type { ComputedCell } from './cell-chain.ts';
import { ROW_IDENTITY } from './dataset-engine.ts';
import type { DatasetEngine } from './dataset-engine.ts';
import { optional } from './optional.ts';

/** Columns that the contracts read: without one of them the rows say something else. */
const MEANT = new Set(['messages', 'tools', 'input', 'output', 'expected_output']);
/** What makes a statement answer differently from one run to the next, so that looking once proves nothing. */
const FICKLE =
  /\b(?:random|uuid\w*|gen_random_uuid|now|today|current_\w+|get_current_\w+|localtime\w*|sample|tablesample|setseed)\b/i;

export interface Verdict {
  readonly isMechanical: boolean;
  /** Why it is not, as a clause. */
  readonly because: string;
}

/**
 * Whether a step provably leaves the meaning of the rows alone: every value as it was and of the type it had, no row more,
 * none less but those that repeat a row that stays, and no column gone that a contract reads. It is looked at in the data,
 * because what the author of a statement says about it proves nothing. A step that cannot be looked at in time counts as
 * one that does not.
 */
export async function judgeStep(
  engine: Pick<DatasetEngine, 'query'>,
  base: ComputedCell,
  step: { readonly sql: string; readonly signal?: AbortSignal },
): Promise<Verdict> {
  const { sql } = step;
  if (FICKLE.test(sql)) return not('it may answer differently each time');
  const more = optional('signal', step.signal);
  const { objectKey, columns } = base.table;
  try {
    const { columns: was } = await engine.query(objectKey, { sql: 'SELECT * FROM t', limit: 1, ...more });
    const { columns: made } = await engine.query(objectKey, { sql, limit: 1, ...more });
    const types = new Map(was.map(({ name, type }) => [name, type]));
    const names = made.map(({ name }) => name);
    if (!names.includes(ROW_IDENTITY)) return not(`it drops ${ROW_IDENTITY}`);
    if (names.some((name) => !types.has(name))) return not('it makes a column');
    const retyped = made.find(({ name, type }) => types.get(name) !== type);
    if (retyped !== undefined) return not(`it makes the column ${retyped.name} another type`);
    const gone = columns.find(({ name }) => MEANT.has(name) && !names.includes(name));
    if (gone !== undefined) return not(`it drops the column ${gone.name}`);
    const kept = names.filter((name) => name !== ROW_IDENTITY);
    const { rows } = await engine.query(objectKey, {
      sql: comparison(
        sql,
        kept,
        columns.map(({ name }) => name),
      ),
      limit: 1,
      ...more,
    });
    const [found] = rows;
    if (Number(found?.['repeated'] ?? 1) > 0) return not('it repeats rows');
    if (Number(found?.['changed'] ?? 1) > 0) return not('it changes values');
    if (Number(found?.['lost'] ?? 1) > 0) return not('it drops rows that no other row repeats');
    return { isMechanical: true, because: '' };
  } catch (error) {
    if (error instanceof AppError && error.code === 'query_invalid') return not('its effect could not be looked at');
    throw error;
  }
}

function not(because: string): Verdict {
  return { isMechanical: false, because };
}

/** Counts, in one look over both: rows that repeat, values that differ, and contents of dropped rows that no row has. */
function comparison(sql: string, kept: readonly string[], all: readonly string[]): string {
  const differs = [
    'was.source_row is null',
    ...kept.map((name) => `${text('made', name)} is distinct from ${text('was', name)}`),
  ];
  const content = (table: string): string => `to_json([${all.map((name) => text(table, name)).join(', ')}])::varchar`;
  return `with made as (
${sql}
), stays as (select distinct ${content('was')} as content from t as was where was.source_row in (select source_row from made)),
goes as (select ${content('was')} as content from t as was
  where was.source_row not in (select source_row from made where source_row is not null))
select
  (select count(*) - count(distinct source_row) from made) + (select count(*) - count(distinct source_row) from t) as repeated,
  (select count(*) from made left join t as was on made.source_row = was.source_row where ${differs.join(' or ')}) as changed,
  (select count(*) from goes where content not in (select content from stays)) as lost`;
}

function text(table: string, name: string): string {
  return `${table}."${name.replaceAll('"', '""')}"::varchar`;
}
