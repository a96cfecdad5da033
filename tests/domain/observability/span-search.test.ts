import assert from 'node:assert/strict';
import { readExport } from '../../../src/domain/observability/index.ts';
import { otlpExport, otlpSpan, spanId, traceId, type SpanLike } from './support/otlp.ts';
import { makeWorld, NEWEST_FIRST, type World } from './support/world.ts';

const START = 1_762_500_000_000_000_000n;
/** More than are taken one by one. */
const MANY_LABELS = 230;

async function namesFound(world: World, search: string, more: Partial<Parameters<World['list']>[0]> = {}) {
  return (await world.list({ allSpans: true, search, ...more })).map(({ name }) => name);
}

/** One span after the other, a millisecond apart. */
async function sendNamed(world: World, names: readonly (string | Partial<SpanLike>)[]): Promise<void> {
  await world.send(
    names.map((one, index) => ({
      trace: traceId(),
      id: spanId(),
      start: START + BigInt(index) * 1_000_000n,
      ...(typeof one === 'string' ? { name: one } : one),
    })),
  );
}

describe('a search of spans', () => {
  it('puts the spans of all labels that match in the order of the list', async () => {
    const world = await makeWorld();
    await sendNamed(world, ['Ask Mary', 'ask Tom', 'tell Tom', 'Ask Mary', 'ask tom']);
    assert.deepEqual(await namesFound(world, 'ASK'), ['ask tom', 'Ask Mary', 'ask Tom', 'Ask Mary']);
    assert.deepEqual(await namesFound(world, 'k t'), ['ask tom', 'ask Tom']);
    const byName = { ordering: { key: 'name', descending: false } } as const;
    assert.deepEqual(await namesFound(world, 'ask', byName), ['Ask Mary', 'Ask Mary', 'ask Tom', 'ask tom']);
    assert.deepEqual(await namesFound(world, 'ask', { name: 'ask Tom' }), ['ask Tom']);
    assert.deepEqual(await namesFound(world, 'nobody'), []);
  });

  it('finds names and services that are as long as they may be', async () => {
    const world = await makeWorld();
    const [name, service] = ['İ'.repeat(600), 'ẑ'.repeat(300)];
    const spans = [
      { name, start: START + 1n },
      { name: 'short', start: START },
    ].map(otlpSpan);
    const { ingest, projectId } = world;
    await ingest.ingest(projectId, readExport(otlpExport(spans, { 'service.name': service }), 1n).spans);
    assert.deepEqual(await namesFound(world, 'i̇i̇i̇'), ['İ'.repeat(512)]);
    assert.deepEqual(await namesFound(world, 'ẑ'.repeat(255)), ['İ'.repeat(512), 'short']);
  });

  it('takes a sign for itself, and reads no pattern in it', async () => {
    const world = await makeWorld();
    await sendNamed(world, ['100 % sure', '100 times', 'a_b', 'axb', String.raw`c:\logs`]);
    assert.deepEqual(await namesFound(world, '0 %'), ['100 % sure']);
    assert.deepEqual(await namesFound(world, 'a_b'), ['a_b']);
    assert.deepEqual(await namesFound(world, String.raw`:\l`), [String.raw`c:\logs`]);
  });

  it('goes on from page to page, whether few labels match or more than are taken one by one', async () => {
    const world = await makeWorld();
    const few = Array.from({ length: 60 }, (_, index) => `few ${index % 3}`);
    const many = Array.from({ length: MANY_LABELS }, (_, index) => `many ${index}`);
    await sendNamed(world, [...few, ...many]);
    for (const [search, sent] of [
      ['few', few],
      ['many', many],
    ] as const) {
      const found: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await world.traces.list(world.projectId, {
          ...NEWEST_FIRST,
          allSpans: true,
          limit: 25,
          search,
          ...(cursor !== undefined && { cursor }),
        });
        found.push(...page.rows.map(({ name }) => name));
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      assert.deepEqual(found, sent.toReversed());
    }
  });

  it('looks in no other project', async () => {
    const world = await makeWorld();
    await sendNamed(world, ['ours to see']);
    await world.send([{ trace: traceId(), id: spanId(), name: 'theirs to see' }], { projectId: world.otherProjectId });
    assert.deepEqual(await namesFound(world, 'to see'), ['ours to see']);
  });
});
