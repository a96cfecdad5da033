import assert from 'node:assert/strict';
import { exportSpans } from '../../domain/observability/support/export.ts';
import { spanId, traceId } from '../../domain/observability/support/otlp.ts';
import { describeTool } from '../../support/describe-tool.ts';
import { FakeClock } from '../../support/fakes/clock.ts';
import { given, type World } from '../../support/given.ts';
import { startServer } from '../../support/mcp.ts';

const DAY_MS = 86_400_000;
const EMPTY = { n: 0, errors: 0, error_rate: 0, total_tokens: 0, total_cost: 0 };

interface TraceLike {
  readonly capability?: string;
  readonly durationMs?: number;
  readonly error?: string;
  readonly model?: string;
  readonly tokens?: number;
  readonly cost?: number;
}

async function record(world: World, traces: readonly TraceLike[]): Promise<void> {
  const spans = traces.flatMap(({ capability = 'Triage', durationMs = 10, error, model, tokens = 0, cost = 0 }) => {
    const [trace, root] = [traceId(), spanId()];
    const status = error === undefined ? {} : { status: { code: 2, message: error } };
    const call = {
      trace,
      parent: root,
      attributes: { 'gen_ai.request.model': model ?? '', 'genai.total_tokens': tokens, 'genai.cost': cost },
      ...status,
    };
    const head = { trace, id: root, durationMs, attributes: { 'overmind.capability': capability }, ...status };
    return model === undefined ? [head] : [head, call];
  });
  await exportSpans(world, spans);
}

describeTool('inspect_capability_health', {
  succeeds: {
    'measures a window beside the equal one before it': async () => {
      const clock = new FakeClock();
      const world = await given.project({ server: await startServer({ clock }) });
      await record(world, [{ durationMs: 7, error: 'old fault' }]);
      clock.advance(8 * DAY_MS);
      const durations = Array.from({ length: 20 }, (_, index) => index + 1);
      await record(
        world,
        durations.map((durationMs) => ({
          durationMs,
          ...(durationMs > 17 && { error: durationMs === 18 ? 'rare' : 'usual' }),
          ...(durationMs <= 2 && { model: 'large', tokens: 100, cost: 0.1 }),
        })),
      );
      await record(world, [{ capability: 'Other', error: 'not counted', model: 'other' }]);
      const health = await world.call('inspect_capability_health', { capability: 'triage', days: 7 });
      assert.deepEqual(health.traces, {
        n: 20,
        errors: 3,
        error_rate: 0.15,
        avg_duration_ms: 10.5,
        p50_duration_ms: 10,
        p95_duration_ms: 19,
        total_tokens: 200,
        total_cost: 0.2,
      });
      assert.deepEqual([health.previous.n, health.previous.errors, health.previous.error_rate], [1, 1, 1]);
      assert.deepEqual(health.models, [{ model: 'large', calls: 2, errors: 0, total_tokens: 200, total_cost: 0.2 }]);
      assert.deepEqual(health.errors, [
        { message: 'usual', n: 2 },
        { message: 'rare', n: 1 },
      ]);
      assert.deepEqual([health.capability, health.days, health.truncated], ['triage', 7, false]);
      const [link] = health.resource_links;
      assert.equal((await world.read(link?.uri ?? ''))['slug'], 'triage');
    },
    'measures the whole project, and answers zeros where nothing happened': async () => {
      const world = await given.project();
      const before = await world.call('inspect_capability_health', {});
      assert.deepEqual([before.traces, before.previous, before.models, before.errors], [EMPTY, EMPTY, [], []]);
      assert.deepEqual([before.days, before.capability, before.resource_links], [30, undefined, []]);
      await record(world, [{}, { capability: 'Other' }]);
      assert.equal((await world.call('inspect_capability_health', {})).traces.n, 2);
    },
    'lists the twenty most used models and says that there are more': async () => {
      const world = await given.project();
      await record(world, [
        ...Array.from({ length: 21 }, (_, index) => ({ model: `model ${index}` })),
        { model: 'model 20', error: 'down' },
      ]);
      const health = await world.call('inspect_capability_health', { capability: 'Triage' });
      assert.deepEqual([health.models.length, health.truncated], [20, true]);
      assert.deepEqual(health.models[0], { model: 'model 20', calls: 2, errors: 1, total_tokens: 0, total_cost: 0 });
    },
  },
  fails: {
    capability_not_found: async () => {
      const world = await given.project();
      await world.refuses('inspect_capability_health', { capability: 'nobody' }, { code: 'capability_not_found' });
    },
  },
  staysInProject: {
    capability: async () => {
      const [world, other] = [await given.project(), await given.project()];
      await record(other, [{}]);
      await world.refuses('inspect_capability_health', { capability: 'triage' }, { code: 'capability_not_found' });
      assert.equal((await world.call('inspect_capability_health', {})).traces.n, 0);
    },
  },
});
