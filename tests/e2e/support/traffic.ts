import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { ApiError } from '../../../generated/client/index.ts';
import { otlpExport, otlpSpan } from '../../domain/observability/support/otlp.ts';
import type { Activity, GoodClient } from './good-client.ts';

export const SPANS_PER_EXPORT = 20;
const ROWS = 2_000;
const PIECES = 5;
const TRACES_PER_DATASET = 40;
/** Datasets on their way at once, from file or traces to a version of the second step. */
const PIPELINES = 3;
/** The rest of the machine is for those that work. */
const PAUSE_MS = 10;
const OCTETS = 'application/octet-stream';
/** Every attempt of a job was killed; whoever asked for it asks again. */
const GIVEN_UP = /stopped in the middle|does not answer|try again/i;

export interface Upload {
  readonly id: string;
  readonly sizeBytes: number;
}

/** What must be there in the end: all that a server has confirmed. */
export interface Promised {
  readonly name: string;
  readonly dataset: string;
  readonly upload: Upload | undefined;
  /** Rows and digest of the exported file, of each version in order. */
  readonly versions: { readonly rows: number; readonly sha256: string }[];
}

/** People and programs at work: each sends, uploads, lands, prepares and exports for as long as it is let. */
export class Traffic {
  readonly client: GoodClient;
  /** Traces that were confirmed. */
  readonly traces: string[] = [];
  readonly promised: Promised[] = [];
  /** Files that wait for somebody to make a dataset of them. */
  readonly uploads: Upload[] = [];
  /** Jobs that were asked for. */
  jobs = 0;
  exports = 0;
  runsAgain = 0;
  #isOver = false;
  #serial = 0;
  #parked = 0;
  #pipelines = 0;
  readonly #work: Promise<void>[] = [];
  #fault: unknown;

  constructor(client: GoodClient) {
    this.client = client;
  }

  start(): void {
    this.#go(() => this.#ingest());
    this.#go(() => this.#uploadAgain());
    this.#go(() => this.#exportAgain());
    this.#fill();
  }

  /** Throws what any of them has met that should not be. */
  check(): void {
    if (this.#fault !== undefined) throw this.#fault;
  }

  /** Everybody goes home, for a run that has failed. */
  abandon(): void {
    this.#isOver = true;
    this.client.abandon();
  }

  /** What everybody is at, for whoever wonders why it does not go on. */
  get state(): string {
    const { troubles } = this.client;
    const counts = { pipelines: this.#pipelines, parked: this.#parked, traces: this.traces.length, jobs: this.jobs };
    return JSON.stringify({ ...counts, done: this.promised.length, troubles: Object.fromEntries(troubles) });
  }

  /** Everybody finishes what they are at. */
  async finish(): Promise<void> {
    this.#isOver = true;
    while (this.#work.length > 0) {
      await Promise.all(this.#work.splice(0));
      this.check();
    }
  }

  #go(work: () => Promise<void>): void {
    this.#work.push(
      work().catch((error: unknown) => {
        this.#fault ??= error;
        this.#isOver = true;
      }),
    );
  }

  /** One that waits for the key of a dead call makes room for another. */
  #fill(): void {
    while (!this.#isOver && this.#pipelines - this.#parked < PIPELINES) {
      this.#pipelines += 1;
      const serial = (this.#serial += 1);
      this.#go(() =>
        this.#pipeline(serial).finally(() => {
          this.#pipelines -= 1;
          this.#fill();
        }),
      );
    }
  }

  #park = (isHeld: boolean): void => {
    this.#parked += isHeld ? 1 : -1;
    this.#fill();
  };

  async #ingest(): Promise<void> {
    while (!this.#isOver) {
      const serial = (this.#serial += 1);
      const traceId = `f${serial.toString(16).padStart(31, '0')}`;
      const id = (index: number) => (serial * 1_000 + index + 1).toString(16).padStart(16, '0');
      const spans = Array.from({ length: SPANS_PER_EXPORT }, (_, index) =>
        otlpSpan({
          trace: traceId,
          id: id(index),
          name: index === 0 ? 'turn' : 'step',
          start: BigInt(Date.now()) * 1_000_000n,
          ...(index > 0 && { parent: id(0) }),
        }),
      );
      const body = { contentType: 'application/json', bytes: Buffer.from(JSON.stringify(otlpExport(spans))) };
      await this.client.rest('ingest', (client) => client.ingest_traces({ parameters: {}, body }));
      this.traces.push(traceId);
      await wait(PAUSE_MS);
    }
  }

  async #pipeline(serial: number): Promise<void> {
    const name = `set ${serial}`;
    const fromFile = serial % 2 === 0 || this.traces.length < TRACES_PER_DATASET;
    const upload = fromFile ? await this.#upload(serial) : undefined;
    const dataset = upload === undefined ? await this.#fromTraces(name) : await this.#fromFile(name, upload.id);
    this.jobs += 1;
    await this.#settle('landing', dataset);
    const rows = upload === undefined ? TRACES_PER_DATASET : ROWS;
    const versions = [{ rows, sha256: await this.#export(dataset, '1.0', rows) }];
    await this.client.once(
      'step',
      'add_dataset_step',
      { dataset, title: 'half', sql: 'SELECT * FROM t WHERE source_row % 2 = 0' },
      this.#park,
    );
    this.jobs += 1;
    await this.#settle('step', dataset);
    versions.push({ rows: rows / 2, sha256: await this.#export(dataset, '1.1', rows / 2) });
    this.promised.push({ name, dataset, upload, versions });
  }

  /** A file in pieces, each sent from where the server says that the file stands. */
  async #upload(serial: number): Promise<Upload> {
    const lines = Array.from({ length: ROWS }, (_, row) => `${row},"question ${row} of ${serial}",answer ${row % 7}`);
    const bytes = Buffer.from(`id,input,expected_output\n${lines.join('\n')}\n`);
    const parameters = { project_id: this.client.installation.projectId };
    const body = { file_name: `${serial}.csv`, size_bytes: bytes.length, sha256: sha256(bytes) };
    const { id } = await this.client.rest('upload', (client) => client.begin_upload({ parameters, body }));
    const at = { ...parameters, upload_id: id };
    const size = Math.ceil(bytes.length / PIECES);
    for (let offset = 0; offset < bytes.length;) {
      const piece = bytes.subarray(offset, offset + size);
      const place = { ...at, offset: String(offset), sha256: sha256(piece) };
      const sent = this.client.rest('upload', (client) =>
        client.put_upload_chunk({ parameters: place, body: { contentType: OCTETS, bytes: piece } }),
      );
      await sent.catch((error: unknown) => assert.ok(error instanceof ApiError && error.code === 'request_conflict'));
      const state = await this.client.rest('upload', (client) => client.get_upload({ parameters: at }));
      assert.equal(state.received_bytes, Math.min(offset + size, bytes.length), 'a piece that was confirmed is there');
      offset = state.received_bytes;
    }
    return { id, sizeBytes: bytes.length };
  }

  async #uploadAgain(): Promise<void> {
    while (!this.#isOver) {
      this.uploads.push(await this.#upload((this.#serial += 1)));
      await wait(PAUSE_MS);
    }
  }

  /** This call takes no key: whoever hears nothing looks whether the dataset is there. */
  #fromFile(name: string, upload: string): Promise<string> {
    const parameters = { project_id: this.client.installation.projectId };
    let asked = 0;
    return this.client.persist('landing', async (origin) => {
      // What the first call still had under way when its server died is over by then.
      if (asked > 0) await wait(1_000);
      const known = asked > 0 ? await this.#find(name) : undefined;
      if (known !== undefined) return known;
      asked += 1;
      return (await this.client.client(origin).create_dataset({ parameters, body: { name, uploads: [upload] } }))
        .dataset.id;
    });
  }

  async #fromTraces(name: string): Promise<string> {
    const trace_ids = this.traces.slice(-TRACES_PER_DATASET);
    const made = await this.client.once('landing', 'create_dataset_from_traces', { name, trace_ids }, this.#park);
    return made?.dataset.id ?? (await this.#find(name)) ?? assert.fail(`${name} took effect and is not there`);
  }

  async #find(name: string): Promise<string | undefined> {
    const { datasets } = await this.client.read('list_datasets', { search: name, limit: 100 });
    const found = datasets.filter((dataset) => dataset.name === name);
    assert.ok(found.length < 2, `${name} is there twice`);
    return found[0]?.id;
  }

  /** Waits for the job; one that was given up because each of its workers was killed is asked for again. */
  async #settle(activity: Activity, dataset: string): Promise<void> {
    for (;;) {
      const job = await this.client.read('get_job', { kind: 'dataset_run', id: dataset });
      if (!job.final) {
        await wait(100);
        continue;
      }
      if (job.status === 'idle') return;
      assert.match(String(job.job_error), GIVEN_UP, `${activity}: ${JSON.stringify(job)}`);
      await this.client.once(activity, 'run_dataset', { dataset }, this.#park);
      this.jobs += 1;
      this.runsAgain += 1;
    }
  }

  /** The file of a version, whole; its digest. */
  async #export(dataset: string, cell: string, rows: number): Promise<string> {
    const parameters = { project_id: this.client.installation.projectId, dataset, cell, format: 'jsonl' } as const;
    return this.client.rest('export', async (client) => {
      const file = await client.export_dataset({ parameters });
      const bytes = await file.bytes();
      assert.equal(file.headers.get('content-length'), String(bytes.length));
      assert.equal(file.headers.get('x-overmind-rows'), String(rows));
      const digest = createHash('sha256').update(bytes);
      assert.equal(file.headers.get('repr-digest'), `sha-256=:${digest.copy().digest('base64')}:`);
      this.exports += 1;
      return digest.digest('hex');
    });
  }

  /** Versions do not change: each export of one is the same file. */
  async #exportAgain(): Promise<void> {
    while (!this.#isOver) {
      const { dataset, versions } = this.promised[Math.floor(Math.random() * this.promised.length)] ?? {};
      if (dataset === undefined || versions === undefined) await wait(50);
      else await this.exportAll(dataset, versions);
      await wait(PAUSE_MS);
    }
  }

  async exportAll(dataset: string, versions: Promised['versions']): Promise<void> {
    for (const [index, { rows, sha256: expected }] of versions.entries()) {
      assert.equal(await this.#export(dataset, `1.${index}`, rows), expected, 'a version is exported byte for byte');
    }
  }
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
