import assert from 'node:assert/strict';
import type { ComputedCell } from '../../src/domain/datasets/cell-chain.ts';
import type { WrittenTable } from '../../src/domain/datasets/index.ts';
import { judgeStep } from '../../src/domain/datasets/mechanical-step.ts';
import { overlapSelect, parting, sideSelect, splitFlag } from '../../src/domain/datasets/split.ts';
import type { SplitOptions } from '../../src/domain/datasets/split.ts';
import { engineWorld, inBatches } from './engine-world.ts';
import type { EngineWorld } from './engine-world.ts';

/** What the product's own statements call tables, subqueries and columns, and what the engine knows without being told. */
const NAMES = [
  't rows written numbered digests repeats earliest again digest number earlier keyed chosen placed settled',
  'sided grouped strata shares ranked row_at is_eval split_group split_stratum stratum size first_row',
  'rows_all rows_before share wanted share_before split_is_eval overlap content role made was stays goes',
  'lost changed repeated n source rowid filename file_row_number json columns count min order',
].flatMap((line) => line.split(' '));
const COUNT = 24;
const VALUES: Readonly<Record<string, (index: number) => unknown>> = {
  text: (index) => `value ${index % 12}`,
  record: (index) => ({ is_eval: true, source_row: 7, content: index % 12, x: 'same' }),
};

describe('columns that are called like something else', function () {
  this.timeout(120_000);
  let world: EngineWorld;
  before(async () => {
    world = await engineWorld();
  });
  after(() => world.close());

  /** Everything that is made of a dataset, but for what a name shows in by right. The first column is the split's. */
  const figures = async (names: readonly string[], kind: string, splits: readonly Partial<SplitOptions>[]) => {
    const value = VALUES[kind] ?? (() => null);
    const rows = (salt: unknown) =>
      Array.from({ length: COUNT }, (_, index) => ({
        ...Object.fromEntries(names.map((name) => [name, value(index)])),
        other: index === 5 ? salt : index % 12,
      }));
    const written = await world.engine.writeRows('names/t.parquet', inBatches(rows(5)));
    const changed = await world.engine.writeRows('names/u.parquet', inBatches(rows(99)));
    assert.notEqual(written.fingerprint, changed.fingerprint, `${names.join()}: ${kind}`);
    const measured = await world.engine.measure('names/t.parquet');
    const columns = written.columns.map(({ name, type }) => ({ name, type }));
    const parts = [];
    for (const options of splits) parts.push(await partsOf(names[0] ?? '', columns, options));
    return { types: columns.map(({ type }) => type), rows: written.rows, measured, parts };
  };

  const partsOf = async (
    name: string,
    columns: readonly { readonly name: string; readonly type: string }[],
    options: Partial<SplitOptions>,
  ) => {
    const named = (column: string): string => (column === 'it' ? name : column);
    const { groupBy = [], stratifyBy } = options;
    const split: SplitOptions = {
      evalPercent: 25,
      position: 'tail',
      deduplicate: true,
      ...options,
      groupBy: groupBy.map(named),
      ...(stratifyBy !== undefined && { stratifyBy: named(stratifyBy) }),
    };
    const flag = splitFlag(columns.map((column) => column.name));
    const { tables, select } = parting(split, 'seed').statement(columns, flag);
    await world.engine.writeSelect('names/t.parquet', select, 'names/parted.parquet', { tables });
    const sides: unknown[] = [];
    for (const side of ['train', 'eval'] as const) {
      const { rows } = await world.engine.writeSelect('names/parted.parquet', sideSelect(flag, side), 'names/side');
      const numbers = await world.engine.query('names/side', { sql: 'SELECT source_row FROM t', limit: 100 });
      sides.push([rows, numbers.rows]);
    }
    const sql = overlapSelect(flag, columns);
    const [counted] = (await world.engine.query('names/parted.parquet', { sql, limit: 1, isJob: true })).rows;
    return { sides, overlap: counted?.['overlap'] };
  };

  const every: readonly Partial<SplitOptions>[] = [true, false].flatMap((deduplicate) => [
    { deduplicate },
    { deduplicate, position: 'head' as const, stratifyBy: 'it' },
    { deduplicate, position: 'random' as const, groupBy: ['it', 'other'], stratifyBy: 'it' },
  ]);

  for (const kind of Object.keys(VALUES)) {
    it(`give the figures of any other names with a ${kind}`, async () => {
      const plain = NAMES.map((_name, index) => `harmless_${index}`);
      assert.deepEqual(await figures(NAMES, kind, every), await figures(plain, kind, every));
    });
  }

  it('give the figures of any other name by themselves', async () => {
    const kept = every.slice(-1);
    const plain = await figures(['harmless'], 'record', kept);
    for (const name of ['t', 'written', 'is_eval', 'placed', 'content']) {
      assert.deepEqual(await figures([name], 'record', kept), plain, name);
    }
  });

  it('leave a step and what the agent looks at as they are', async () => {
    const rows = Array.from({ length: 6 }, (_, index) =>
      Object.fromEntries(NAMES.map((name) => [name, { source_row: 7, is_eval: index % 3, content: name }])),
    );
    const written = await world.engine.writeRows('names/t.parquet', inBatches([...rows, ...rows]));
    const step = (sql: string) => judgeStep(world.engine, cellOf(written), { sql });
    assert.deepEqual(await step('SELECT * FROM t ORDER BY source_row DESC'), { isMechanical: true, because: '' });
    assert.equal((await step('SELECT * FROM t WHERE source_row < 4')).isMechanical, true);
    const dropped = await step('SELECT * FROM t WHERE source_row IN (1, 2, 7, 8)');
    assert.equal(dropped.because, 'it drops rows that no other row repeats');
    const same = await world.engine.writeSelect('names/t.parquet', 'SELECT * FROM t', 'names/u.parquet');
    assert.deepEqual([same.fingerprint, same.columns], [written.fingerprint, written.columns]);
  });
});

function cellOf(written: WrittenTable): ComputedCell {
  const report = { ok: true, reason: '', failures: [] };
  const table = { ...written, objectKey: 'names/t.parquet', seconds: 0, trainReport: report, evalReport: report };
  // because a verdict looks at nothing but the rows
  return { table } as unknown as ComputedCell;
}
