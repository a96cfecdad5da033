import { Readable } from 'node:stream';
import type { EndpointHandlers } from '../../generated/contracts/endpoints.ts';
import type { Arrival, TraceFeed } from '../domain/observability/index.ts';
import type { ProjectsService } from '../domain/projects/index.ts';
import { rateLimited } from '../http/rate-limit.ts';
import { monotonicMs } from '../kernel/clock.ts';
import { deadlineSignal } from '../kernel/deadline-signal.ts';
import { sleep } from '../kernel/duration.ts';
import { presentTraceRow } from '../presenters/observability.ts';
import { readerOf } from './caller.ts';
import type { EndpointContexts } from './endpoint.ts';

export interface LiveTracesParts {
  readonly projects: ProjectsService;
  readonly feed: Pick<TraceFeed, 'end' | 'after'>;
  readonly streams: LiveStreams;
}

const POLL_MS = 1_000;
const HEARTBEAT_MS = 15_000;
const LIFETIME_MS = 10 * 60_000;
const RETRY_MS = 2_000;
const STALLED_MS = 5_000;

export interface LiveStreamsOptions {
  readonly most?: number;
  readonly mostPerProject?: number;
  /** Longest silence: proxies close what says nothing for long. */
  readonly heartbeatMs?: number;
  /** Whoever follows comes again by itself; so rights that were taken away end here, and no stream outlives its server. */
  readonly lifetimeMs?: number;
}

/** Streams that are open in this process; each costs a connection and a statement a second. */
export class LiveStreams {
  readonly heartbeatMs: number;
  readonly lifetimeMs: number;
  readonly #most: number;
  readonly #mostPerProject: number;
  readonly #ending = new AbortController();
  readonly #open = new Map<string, number>();

  constructor(options: LiveStreamsOptions = {}) {
    const { most = 64, mostPerProject = 16, heartbeatMs = HEARTBEAT_MS, lifetimeMs = LIFETIME_MS } = options;
    this.heartbeatMs = heartbeatMs;
    this.lifetimeMs = lifetimeMs;
    this.#most = most;
    this.#mostPerProject = mostPerProject;
  }

  /** Aborts when the server stops. */
  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  /** Takes a place until the answer is called; refuses when there is none. */
  enter(projectId: string): () => void {
    const inProject = this.#open.get(projectId) ?? 0;
    let all = 0;
    for (const count of this.#open.values()) all += count;
    if (inProject >= this.#mostPerProject || all >= this.#most) throw rateLimited(RETRY_MS / 1_000);
    this.#open.set(projectId, inProject + 1);
    return () => {
      const left = (this.#open.get(projectId) ?? 1) - 1;
      if (left > 0) this.#open.set(projectId, left);
      else this.#open.delete(projectId);
    };
  }

  /** Ends every stream; their clients come again, to another process or later. */
  close(): void {
    this.#ending.abort();
  }
}

/** New traces as they arrive, for people who watch and programs that react. */
export function liveTraceEndpoints({
  projects,
  feed,
  streams,
}: LiveTracesParts): Pick<EndpointHandlers<EndpointContexts>, 'follow_traces'> {
  return {
    async follow_traces({ parameters }, { account, signal }) {
      const { id } = await projects.getAccessible(readerOf(account), parameters.project_id);
      const seen = parameters['last-event-id'] ?? parameters.after;
      // Asked before the answer begins, so that a place that is not one is refused and not a stream that breaks.
      const first = seen === undefined ? [] : await feed.after(id, seen);
      const from = seen ?? (await feed.end(id));
      const leave = streams.enter(id);
      const until = deadlineSignal(streams.lifetimeMs, signal, streams.ending);
      const body = Readable.from(follow({ feed, projectId: id, from, first, until, heartbeatMs: streams.heartbeatMs }));
      body.once('close', leave);
      // It ends by itself then, unless nobody reads it.
      until.addEventListener('abort', () => setTimeout(() => body.destroy(), STALLED_MS).unref(), { once: true });
      return {
        contentType: 'text/event-stream',
        headers: { 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
        body,
      };
    },
  };
}

interface Following {
  readonly feed: Pick<TraceFeed, 'after'>;
  readonly projectId: string;
  readonly from: string;
  /** Read already. */
  readonly first: readonly Arrival[];
  readonly until: AbortSignal;
  readonly heartbeatMs: number;
}

async function* follow({ feed, projectId, from, first, until, heartbeatMs }: Following): AsyncGenerator<Buffer> {
  let spoke = monotonicMs();
  let cursor = from;
  let arrivals = first;
  yield Buffer.from(`retry: ${RETRY_MS}\nid: ${from}\nevent: following\ndata: {}\n\n`);
  while (!until.aborted) {
    for (const arrival of arrivals) {
      cursor = arrival.cursor;
      yield Buffer.from(`id: ${cursor}\nevent: trace\ndata: ${JSON.stringify(presentTraceRow(arrival.row))}\n\n`);
    }
    const now = monotonicMs();
    if (arrivals.length > 0) spoke = now;
    else if (now - spoke >= heartbeatMs) {
      spoke = now;
      yield Buffer.from(': still here\n\n');
    }
    if (arrivals.length === 0) await sleep(POLL_MS, until);
    try {
      arrivals = await feed.after(projectId, cursor);
    } catch {
      // Whoever follows comes again from here, and is told then what is the matter.
      return;
    }
  }
}
