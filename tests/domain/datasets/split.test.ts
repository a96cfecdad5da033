import assert from 'node:assert/strict';
import fc from 'fast-check';
import { overlapSelect, parting, sideSelect, splitFlag } from '../../../src/domain/datasets/split.ts';
import type { SplitOptions } from '../../../src/domain/datasets/split.ts';
import { engineWorld } from '../../providers/engine-world.ts';
import type { EngineWorld } from '../../providers/engine-world.ts';

const COLUMNS = ['input', 'output', 'session', 'label'].map((name) => ({ name, type: 'VARCHAR' }));
const PLAIN: SplitOptions = { evalPercent: 20, position: 'tail', groupBy: [], deduplicate: true };

interface Row {
  readonly input: string;
  readonly session?: string;
  readonly label?: string;
}

describe('a split', function () {
  this.timeout(60_000);
  let world: EngineWorld;
  before(async () => {
    world = await engineWorld();
  });
  after(() => world.close());

  /** Row numbers of both sides. */
  const split = async (rows: readonly Row[], options: Partial<SplitOptions>, seed = 'seed') => {
    const table = await world.table(
      rows.map((row) => ({ output: '', ...row })),
      { input: 'VARCHAR', output: 'VARCHAR', session: 'VARCHAR', label: 'VARCHAR' },
    );
    const { statement, mayOverlap } = parting({ ...PLAIN, ...options }, seed);
    const flag = splitFlag(COLUMNS.map(({ name }) => name));
    const { tables, select } = statement(COLUMNS, flag);
    await world.engine.writeSelect(table, select, 'tables/parted.parquet', { tables });
    const ask = async (sql: string, limit = 1_000) =>
      (await world.engine.query('tables/parted.parquet', { sql, limit, isJob: limit === 1 })).rows;
    const side = async (which: 'train' | 'eval') =>
      (await ask(sideSelect(flag, which))).map((row) => Number(row['source_row']));
    const [counted] = await ask(overlapSelect(flag, COLUMNS), 1);
    const overlap = Number(counted?.['overlap']);
    assert.ok(mayOverlap || overlap === 0);
    return { train: await side('train'), eval: await side('eval'), overlap };
  };
  const numbered = (count: number, more: (index: number) => Partial<Row> = () => ({})): Row[] =>
    Array.from({ length: count }, (_, index) => ({ input: `q${index}`, ...more(index) }));

  it('takes the last or the first rows', async () => {
    assert.deepEqual(await split(numbered(5), {}), { train: [1, 2, 3, 4], eval: [5], overlap: 0 });
    assert.deepEqual(await split(numbered(5), { position: 'head', evalPercent: 40 }), {
      train: [3, 4, 5],
      eval: [1, 2],
      overlap: 0,
    });
  });

  it('takes random rows, the same ones for the same seed', async () => {
    const first = await split(numbered(50), { position: 'random' });
    assert.deepEqual([first.eval.length, first.train.length], [10, 40]);
    assert.deepEqual(await split(numbered(50), { position: 'random' }), first);
    assert.notDeepEqual((await split(numbered(50), { position: 'random' }, 'other')).eval, first.eval);
    assert.notDeepEqual(first.eval, [41, 42, 43, 44, 45, 46, 47, 48, 49, 50]);
  });

  it('keeps rows of a group together', async () => {
    const sessions = await split(
      numbered(20, (index) => ({ session: `s${index % 7}` })),
      { groupBy: ['session'], position: 'random', evalPercent: 30 },
    );
    const groups = (rows: readonly number[]) => new Set(rows.map((row) => (row - 1) % 7));
    const [train, evaluation] = [groups(sessions.train), groups(sessions.eval)];
    assert.ok(train.size > 0 && evaluation.size > 0);
    assert.deepEqual(
      [...evaluation].filter((group) => train.has(group)),
      [],
    );
    assert.equal(sessions.train.length + sessions.eval.length, 20);
  });

  it('keeps the shares of a stratum', async () => {
    const { eval: evaluation } = await split(
      numbered(100, (index) => ({ label: index < 80 ? 'common' : 'rare' })),
      { stratifyBy: 'label', evalPercent: 20 },
    );
    assert.equal(evaluation.filter((row) => row <= 80).length, 16);
    assert.equal(evaluation.filter((row) => row > 80).length, 4);
  });

  it('gives evaluation its share of many small strata too, and knows missing from empty', async () => {
    const { eval: evaluation, train } = await split(
      numbered(100, (index) => ({ label: `label ${index}` })),
      { stratifyBy: 'label', evalPercent: 20 },
    );
    assert.deepEqual([evaluation.length, train.length], [20, 80]);
    const labels = [undefined, '', 'both'].flatMap((label) => Array.from({ length: 5 }, () => ({ label })));
    const { eval: three } = await split(
      numbered(15, (index) => {
        const { label } = labels[index] ?? {};
        return label === undefined ? {} : { label };
      }),
      { stratifyBy: 'label', evalPercent: 20 },
    );
    assert.deepEqual(three, [5, 10, 15], 'the last of each');
  });

  it('drops repeated rows first, or counts contents that stand on both sides', async () => {
    const rows = [...numbered(4), ...numbered(4)];
    assert.deepEqual(await split(rows, { evalPercent: 25 }), { train: [1, 2, 3], eval: [4], overlap: 0 });
    const kept = await split(rows, { evalPercent: 25, deduplicate: false });
    assert.deepEqual([kept.train.length, kept.eval, kept.overlap], [6, [7, 8], 2]);
  });

  it('leaves neither side empty when there are two rows', async () => {
    for (const evalPercent of [1, 50, 99]) {
      for (const position of ['head', 'tail', 'random'] as const) {
        const sides = await split(numbered(2), { evalPercent, position });
        assert.deepEqual([sides.train.length, sides.eval.length], [1, 1], `${evalPercent} ${position}`);
      }
    }
  });

  it('parts any rows in two: complete, disjoint, groups whole, each stratum near its share', async () => {
    const row = fc.record({
      input: fc.integer({ min: 0, max: 25 }).map((id) => `q${id}`),
      session: fc.constantFrom('s1', 's2', 's3', 's4', 's5', 's6'),
      label: fc.constantFrom('common', 'rare'),
    });
    const options = fc.record({
      evalPercent: fc.integer({ min: 1, max: 99 }),
      position: fc.constantFrom('head' as const, 'tail' as const, 'random' as const),
      groupBy: fc.constantFrom([], ['session']),
      deduplicate: fc.boolean(),
      isStratified: fc.boolean(),
    });
    const property = fc.asyncProperty(
      fc.array(row, { minLength: 1, maxLength: 40 }),
      options,
      async (rows, { isStratified, ...rest }) => {
        const asked = { ...rest, ...(isStratified && { stratifyBy: 'label' }) };
        const { train, eval: evaluation, overlap } = await split(rows, asked);
        const numbers = rows
          .map((_, index) => index + 1)
          .filter((at) => !rest.deduplicate || rows.findIndex(({ input }) => input === rows[at - 1]?.input) === at - 1);
        assert.deepEqual(
          [...train, ...evaluation].toSorted((left, right) => left - right),
          numbers,
        );
        const groupOf = (at: number): string => (rest.groupBy.length > 0 ? (rows[at - 1]?.session ?? '') : String(at));
        const groups = groupedBy(numbers, groupOf);
        const onEval = new Set(evaluation);
        for (const members of groups.values())
          assert.ok(members.every((at) => onEval.has(at)) || !members.some((at) => onEval.has(at)));
        assert.ok(groups.size < 2 ? evaluation.length === 0 : train.length > 0 && evaluation.length > 0);
        const contents = (side: readonly number[]) => new Set(side.map((at) => rows[at - 1]?.input));
        const trained = contents(train);
        assert.equal(overlap, [...contents(evaluation)].filter((content) => trained.has(content)).length);
        const sidesOf = (of: readonly number[]) => new Set(of.map(groupOf)).size;
        if (sidesOf(train) < 2 || sidesOf(evaluation) < 2) return;
        const strata = groupedBy([...groups.values()], ([first = 0]) =>
          isStratified ? (rows[first - 1]?.label ?? '') : '',
        );
        // A stratum's share can have half a row of another's.
        const carried = strata.size > 1 ? 0.5 : 0;
        for (const members of strata.values()) {
          const all = members.flat();
          const largest = Math.max(...members.map(({ length }) => length));
          const share = (all.length * rest.evalPercent) / 100;
          const got = all.filter((at) => onEval.has(at)).length;
          assert.ok(
            Math.abs(got - share) <= largest / 2 + carried + 1e-9,
            `${got} of ${all.length} for ${rest.evalPercent} %`,
          );
        }
      },
    );
    await fc.assert(property, { numRuns: 12, seed: 7 });
  });

  it('survives names and values that look like SQL', async () => {
    const hostile = numbered(6, (index) => ({ session: `'); DROP VIEW t; -- ${index % 3}`, label: '"' }));
    const sides = await split(hostile, { groupBy: ['session', 'label'], evalPercent: 33 });
    assert.equal(sides.train.length + sides.eval.length, 6);
    assert.equal(splitFlag(['input', 'Split_Is_Eval', 'split_is_eval_']), 'split_is_eval__');
  });
});

function groupedBy<T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}
