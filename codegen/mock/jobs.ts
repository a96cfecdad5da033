/** Jobs that live in memory: asked for by a call, they walk through the statuses of their contract as time passes. */
import type { JobSpec, JsonValue, ToolSpec } from '../model/types.ts';
import { isJsonObject } from '../canonical/json.ts';
import type { Makers } from './makers.ts';
import { uuid } from './make-text.ts';
import { withMembers } from './make-value.ts';

interface Running {
  readonly job: JobSpec;
  readonly startedMs: number;
}

export interface JobClock {
  readonly now: () => Date;
  /** How long a job takes from its first status to its last. */
  readonly seconds: number;
}

export class Jobs {
  readonly #makers: Makers;
  readonly #clock: JobClock;
  readonly #running = new Map<string, Running>();

  constructor(makers: Makers, clock: JobClock) {
    this.#makers = makers;
    this.#clock = clock;
  }

  /** Whether a tool tells the state of any job: it takes a kind and an id and answers a status that may be final. */
  polls(tool: ToolSpec): boolean {
    const input = this.#makers.node(`${tool.typeName}Input`);
    const output = this.#makers.node(`${tool.typeName}Output`);
    const has = (node: typeof input, names: readonly string[]): boolean =>
      node?.kind === 'object' && names.every((name) => node.properties.some((property) => property.name === name));
    return has(input, ['kind', 'id']) && has(output, ['status', 'final']);
  }

  /** Starts the job of a call and puts its receipt into the result. */
  start(tool: ToolSpec, output: JsonValue, about: string): JsonValue {
    const job = this.#find(tool.job);
    if (job === undefined || !isJsonObject(output)) return output;
    const random = this.#makers.random(`job ${about}`);
    const id = uuid(random);
    this.#running.set(`${job.name} ${id}`, { job, startedMs: this.#clock.now().getTime() });
    const node = this.#makers.node(`${tool.typeName}Output`);
    const child = node?.kind === 'object' ? node.properties.find(({ name }) => name === 'job')?.node : undefined;
    const receipt = withMembers(this.#makers.follow(child), output['job'] ?? {}, {
      kind: job.name,
      id,
      status: job.statuses[0]?.name ?? '',
    });
    return { ...output, job: receipt };
  }

  /** The state of a job. One that nobody started begins its life when it is first asked for. */
  state(tool: ToolSpec, args: { readonly [name: string]: JsonValue }, output: JsonValue): JsonValue {
    const { kind, id } = args;
    const job = this.#find(kind);
    if (job === undefined || typeof id !== 'string' || !isJsonObject(output)) return output;
    const key = `${job.name} ${id}`;
    const running = this.#running.get(key) ?? { job, startedMs: this.#clock.now().getTime() };
    this.#running.set(key, running);
    return this.#tell(tool, running, { output, id, kind: typeof kind === 'string' ? kind : job.name });
  }

  #tell(
    tool: ToolSpec,
    { job, startedMs }: Running,
    { output, id, kind }: { readonly output: JsonValue; readonly id: string; readonly kind: string },
  ): JsonValue {
    const nowMs = this.#clock.now().getTime();
    const share = Math.min(1, (nowMs - startedMs) / (this.#clock.seconds * 1000));
    const done = job.statuses.find((one) => one.class === 'succeeded');
    const active = job.statuses.filter((one) => one.class === 'active');
    const final = share >= 1 || active.length === 0;
    const status = final ? done : active[Math.floor(share * active.length)];
    const at = (ms: number): string => new Date(ms).toISOString();
    const told: Record<string, JsonValue> = {
      kind,
      id,
      status: status?.name ?? '',
      final,
      label: `${job.title}, made up by the mock`,
      created_at: at(startedMs),
      updated_at: at(final ? startedMs + this.#clock.seconds * 1000 : nowMs),
      poll_after_seconds: final ? 0 : job.pollSeconds,
      progress: this.#progress(job, share),
      details: this.#makers.make(`${job.typeName}Details`, id) ?? {},
    };
    if (final) told['completed_at'] = at(startedMs + this.#clock.seconds * 1000);
    const rest = isJsonObject(output) ? { ...output } : {};
    for (const name of ['job_error', 'completed_at']) delete rest[name];
    return withMembers(this.#makers.node(`${tool.typeName}Output`), rest, told);
  }

  /** Counts grow with the share of the time that has passed; totals stand still. */
  #progress(job: JobSpec, share: number): JsonValue {
    const typeName = `${job.typeName}Progress`;
    const node = this.#makers.node(typeName);
    const made = this.#makers.make(typeName, job.name);
    if (node?.kind !== 'object' || !isJsonObject(made ?? null)) return {};
    const counts: Record<string, JsonValue> = {};
    for (const { name, node: child } of node.properties) {
      if (child.kind !== 'scalar' || child.type !== 'integer') continue;
      const most = Math.min(child.limits.maximum ?? 1000, 1000);
      counts[name] = name.includes('total') ? most : Math.floor(most * share);
    }
    return withMembers(node, made ?? {}, counts);
  }

  #find(kind: JsonValue | undefined): JobSpec | undefined {
    if (typeof kind !== 'string') return undefined;
    return this.#makers.model.jobs.find(({ name, aliases }) => name === kind || aliases.includes(kind));
  }
}
