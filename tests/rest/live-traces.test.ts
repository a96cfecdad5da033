import assert from 'node:assert/strict';
import { exportSpans } from '../domain/observability/support/export.ts';
import { spanId, traceId } from '../domain/observability/support/otlp.ts';
import { eventually } from '../support/eventually.ts';
import { given, type Caller } from '../support/given.ts';
import { startServer } from '../support/mcp.ts';

interface LiveEvent {
  readonly event: string;
  readonly id: string;
  readonly data: string;
}

/** A stream of events, read on the side until it ends or is left. */
class Stream {
  readonly events: LiveEvent[] = [];
  /** What is said only so that something is said. */
  heartbeats = 0;
  retryMs = 0;
  isOver = false;
  readonly #abort = new AbortController();

  static async open(
    caller: Pick<Caller, 'server' | 'key'> & { readonly project: { readonly id: string } },
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Stream> {
    const stream = new Stream();
    const response = await fetch(`${caller.server.origin}/api/v1/projects/${caller.project.id}/traces/live`, {
      headers: { 'x-api-key': caller.key, ...headers },
      signal: stream.#abort.signal,
    });
    assert.deepEqual(
      [response.status, response.headers.get('content-type'), response.headers.get('cache-control')],
      [200, 'text/event-stream', 'no-store'],
    );
    void stream.#read(response).catch(() => undefined);
    await eventually(() => assert.equal(stream.events[0]?.event, 'following'));
    return stream;
  }

  get traceIds(): readonly string[] {
    return this.events.flatMap(({ event, data }) => {
      if (event !== 'trace') return [];
      // because the server writes a row of `query_traces` there
      return [(JSON.parse(data) as { trace_id: string }).trace_id];
    });
  }

  leave(): void {
    this.#abort.abort();
  }

  async #read(response: Response): Promise<void> {
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const fields = new Map(
          block.split('\n').map((line) => [line.split(': ')[0] ?? '', line.replace(/^\w*: /, '')]),
        );
        if (block.startsWith(':')) this.heartbeats += 1;
        this.retryMs = Number(fields.get('retry') ?? this.retryMs);
        if (!fields.has('event')) continue;
        const [event = '', id = '', data = ''] = ['event', 'id', 'data'].map((name) => fields.get(name));
        this.events.push({ event, id, data });
      }
    }
    this.isOver = true;
  }
}

const some = (count: number) => Array.from({ length: count }, () => ({ trace: traceId(), id: spanId() }));
const idsOf = (spans: readonly { readonly trace: string }[]): string[] => spans.map(({ trace }) => trace).toSorted();

describe('REST: live traces', function () {
  this.timeout(60_000);

  it('tell each new trace once, whatever order batches are committed in, and go on where they were left', async () => {
    const world = await given.project();
    const [before, others] = [some(2), await given.project()];
    await exportSpans(world, before);
    const stream = await Stream.open(world);
    const first = some(150);
    await Promise.all([
      ...Array.from({ length: 10 }, (_, batch) => exportSpans(world, first.slice(batch * 15, batch * 15 + 15))),
      exportSpans(others, some(3)),
    ]);
    // A trace that gets longer is no new one.
    await exportSpans(world, [{ trace: before[0]?.trace ?? '', id: spanId() }]);
    await eventually(() => assert.deepEqual(stream.traceIds.toSorted(), idsOf(first)));
    stream.leave();

    const middle = stream.events[75];
    const missed = some(5);
    await exportSpans(world, missed);
    const again = await Stream.open(world, { 'last-event-id': middle?.id ?? '' });
    const expected = idsOf([...stream.traceIds.slice(75).map((trace) => ({ trace })), ...missed]);
    await eventually(() => assert.deepEqual(again.traceIds.toSorted(), expected));
    again.leave();
  });

  it('refuse a place that is forged or of another project, and a project that is not the caller’s', async () => {
    const [world, other] = [await given.project(), await given.project()];
    const stream = await Stream.open(other);
    stream.leave();
    const ask = async (projectId: string, after: string) => {
      const address = `${world.server.origin}/api/v1/projects/${projectId}/traces/live?after=${after}`;
      const response = await fetch(address, { headers: { 'x-api-key': world.key } });
      // because refusals are problem documents
      return ((await response.json()) as { code: string }).code;
    };
    assert.equal(await ask(world.project.id, 'forged'), 'invalid_filter');
    assert.equal(await ask(world.project.id, stream.events[0]?.id ?? ''), 'invalid_filter');
    const { page } = await world.call('query_traces', { limit: 1 });
    assert.equal(page.next_cursor, null);
    assert.equal(await ask(other.project.id, 'x'), 'resource_not_found');
  });

  it('say something in long silence, end in time, and are told from where they were left', async () => {
    const server = await startServer({ processes: 1, liveStreams: { heartbeatMs: 1, lifetimeMs: 1_500 } });
    const world = await given.project({ server });
    const seen = some(1);
    const stream = await Stream.open(world);
    await exportSpans(world, seen);
    await eventually(() => assert.deepEqual([stream.traceIds, stream.isOver], [idsOf(seen), true]));
    assert.ok(stream.heartbeats > 0);
    assert.equal(stream.retryMs, 2_000);
    const meanwhile = some(2);
    await exportSpans(world, meanwhile);
    const again = await Stream.open(world, { 'last-event-id': stream.events.at(-1)?.id ?? '' });
    await eventually(() => assert.deepEqual(again.traceIds.toSorted(), idsOf(meanwhile)));
    again.leave();
    await server.stop();
  });

  it('are bounded in number, free their place when left, and end when the server stops', async () => {
    const server = await startServer({ processes: 1 });
    const world = await given.project({ server });
    const streams = await Promise.all(Array.from({ length: 16 }, () => Stream.open(world)));
    const address = `${server.origin}/api/v1/projects/${world.project.id}/traces/live`;
    const refused = await fetch(address, { headers: { 'x-api-key': world.key } });
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '2']);
    await refused.arrayBuffer();
    streams.shift()?.leave();
    await eventually(async () => streams.push(await Stream.open(world)));
    await server.stop();
    await eventually(() => assert.ok(streams.every(({ isOver }) => isOver)));
  });
});
