import assert from 'node:assert/strict';
import type { ToolContracts } from '../../../generated/contracts/index.ts';
import { exportSpans } from './support/export.ts';
import { spanId, traceId } from './support/otlp.ts';
import { given, type World } from '../../support/given.ts';
import { randomFrom } from '../../support/random.ts';

type Args = ToolContracts['query_task_executions']['call'];

const START = 1_762_500_000_000_000_000n;
const SECOND = 1_000_000_000n;
const COUNT = 120;

/** A run as it is sent, which is all a plain reader of the data knows. */
interface Run {
  readonly trace: string;
  readonly unit: string;
  readonly second: number;
  readonly behaviour: string;
  readonly capability: string | undefined;
  readonly operation: string;
  readonly type: string;
  readonly code: number;
  readonly interrupted: boolean;
  readonly ms: number;
  readonly model: string | undefined;
  readonly tokens: number | undefined;
  readonly cost: number | undefined;
}

function makeRuns(): readonly Run[] {
  const { whole, pick } = randomFrom(42);
  return Array.from({ length: COUNT }, (_, second): Run => {
    const called = whole(0, 2) > 0;
    return {
      trace: traceId(),
      unit: spanId(),
      second,
      behaviour: pick(['answer', 'refund', '']),
      capability: pick(['desk', 'shop', undefined]),
      operation: pick(['chat', 'invoke']),
      type: pick(['workflow', 'function']),
      code: pick([0, 1, 2]),
      interrupted: whole(0, 4) === 0,
      ms: pick([1, 50, 400, 9_000]),
      model: called ? pick(['small', 'large']) : undefined,
      tokens: called ? whole(0, 20) : undefined,
      cost: called ? whole(0, 20) / 4 : undefined,
    };
  });
}

async function send(world: World, runs: readonly Run[]): Promise<void> {
  await exportSpans(
    world,
    runs.map((run) => ({
      trace: run.trace,
      id: run.unit,
      start: START + BigInt(run.second) * SECOND,
      durationMs: run.ms,
      status: { code: run.code },
      attributes: {
        'overmind.span_type': run.behaviour === '' ? 'entry_point' : run.type,
        'overmind.operation': run.operation,
        ...(run.behaviour !== '' && { 'overmind.behaviour': run.behaviour }),
        ...(run.capability !== undefined && { 'overmind.capability': run.capability }),
        ...(run.interrupted && { 'overmind.interrupted': true }),
        ...(run.model !== undefined && { model: run.model }),
        ...(run.tokens !== undefined && { 'genai.total_tokens': run.tokens }),
        ...(run.cost !== undefined && { cost: run.cost }),
      },
    })),
  );
}

const statusOf = (run: Run): 'error' | 'interrupted' | 'completed' =>
  run.code === 2 ? 'error' : run.interrupted ? 'interrupted' : 'completed';
const instant = (second: number): string => new Date(Number(START / 1_000_000n) + second * 1_000).toISOString();

/** Each filter beside what it means. */
const FILTERS: readonly ((run: Run) => readonly [Args, (other: Run) => boolean])[] = [
  ({ capability }) => [
    capability === undefined ? {} : { capability },
    (run) => capability === undefined || run.capability === capability,
  ],
  ({ behaviour }) => [behaviour === '' ? {} : { behaviour }, (run) => behaviour === '' || run.behaviour === behaviour],
  ({ behaviour }) => [
    { binding_source: behaviour === '' ? 'unbound' : 'declared' },
    (run) => (run.behaviour === '') === (behaviour === ''),
  ],
  ({ trace }) => [{ trace_id: trace.toUpperCase() }, (run) => run.trace === trace],
  (one) => [{ status: statusOf(one) }, (run) => statusOf(run) === statusOf(one)],
  ({ second }) => [{ started_after: instant(second) }, (run) => run.second > second],
  ({ second }) => [{ started_before: instant(second) }, (run) => run.second < second],
  ({ ms }) => [{ min_duration_ms: ms }, (run) => run.ms >= ms],
  ({ ms }) => [{ max_duration_ms: ms }, (run) => run.ms <= ms],
  ({ code }) => [{ has_error: code === 2 }, (run) => (run.code === 2) === (code === 2)],
  () => [{ service_name: 'support-agent' }, () => true],
  ({ operation }) => [{ operation }, (run) => run.operation === operation],
  (one) => {
    const typeOf = (run: Run): string => (run.behaviour === '' ? 'entry_point' : run.type);
    return [{ span_type: typeOf(one) }, (run) => typeOf(run) === typeOf(one)];
  },
  ({ code }) => [{ status_code: code }, (run) => run.code === code],
  ({ model }) => [model === undefined ? {} : { model }, (run) => model === undefined || run.model === model],
  ({ model }) => [{ has_model: model !== undefined }, (run) => (run.model === undefined) === (model === undefined)],
  ({ tokens = 7 }) => [{ total_tokens_gte: tokens }, (run) => run.tokens !== undefined && run.tokens >= tokens],
  ({ tokens = 7 }) => [{ total_tokens_lte: tokens }, (run) => run.tokens !== undefined && run.tokens <= tokens],
  ({ cost = 2 }) => [{ total_cost_gte: cost }, (run) => run.cost !== undefined && run.cost >= cost],
  ({ cost = 2 }) => [{ total_cost_lte: cost }, (run) => run.cost !== undefined && run.cost <= cost],
];

describe('the filters of query_task_executions', function () {
  this.timeout(60_000);

  it('find, alone and together, exactly the runs that a plain reading of the data finds, newest first', async () => {
    const world = await given.project();
    const runs = makeRuns();
    await send(world, runs);
    const { whole, pick } = randomFrom(7);
    const check = async (chosen: readonly (readonly [Args, (run: Run) => boolean])[], limit: number) => {
      const args: Args = Object.assign({}, ...chosen.map(([one]) => one));
      const expected = runs.filter((run) => chosen.every(([, fits]) => fits(run))).toReversed();
      const found: string[] = [];
      let cursor: string | null = null;
      do {
        const page = { ...args, limit, ...(cursor !== null && { cursor }) };
        const answer: ToolContracts['query_task_executions']['output'] = await world.call(
          'query_task_executions',
          page,
        );
        found.push(...answer.task_executions.map(({ unit_span_id: id }) => id));
        cursor = answer.page.next_cursor;
      } while (cursor !== null);
      assert.deepEqual(
        found,
        expected.map(({ unit }) => unit),
        JSON.stringify(args),
      );
    };
    for (const filter of FILTERS) await check([filter(pick(runs))], 100);
    for (let round = 0; round < 25; round += 1) {
      const run = pick(runs);
      const chosen = [...new Set(Array.from({ length: whole(2, 4) }, () => pick(FILTERS)))];
      await check(
        chosen.map((filter) => filter(run)),
        pick([1, 7, 100]),
      );
    }
  });

  it('take the id of a behaviour for its key, one behaviour for each capability that has the key', async () => {
    const world = await given.project();
    await send(world, makeRuns());
    const answers = await world.call('query_task_executions', { behaviour: 'answer', limit: 100 });
    const byCapability = new Map<string, Set<string | undefined>>();
    for (const { capability = '', behaviour_id: id } of answers.task_executions) {
      byCapability.set(capability, (byCapability.get(capability) ?? new Set()).add(id));
    }
    assert.deepEqual([...byCapability.keys()].toSorted(), ['', 'desk', 'shop']);
    const ids = [...byCapability.values()].flatMap((set) => [...set]);
    assert.deepEqual([ids.length, new Set(ids).size, ids.includes(undefined)], [3, 3, false]);
    const desk = answers.task_executions.filter(({ capability }) => capability === 'desk');
    const byId = await world.call('query_task_executions', { behaviour: desk[0]?.behaviour_id ?? '', limit: 100 });
    assert.deepEqual(byId.task_executions, desk);
    const unbound = await world.call('query_task_executions', { binding_source: 'unbound', limit: 1 });
    assert.equal(unbound.task_executions[0]?.behaviour_id, undefined);
  });
});
