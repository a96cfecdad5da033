import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { createClient, type Client } from '../../generated/client/index.ts';
import { newId } from '../../src/kernel/ids.ts';
import { DAY_MS } from '../../src/kernel/duration.ts';
import { FakeClock } from '../support/fakes/clock.ts';
import { given, type World } from '../support/given.ts';
import { startServer } from '../support/mcp.ts';
import { refused } from './support/person.ts';

const OCTETS = 'application/octet-stream';
const ROWS = 2_000;
const PIECE = 20_000;

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function clientOf(world: World): Client {
  return createClient({ origin: world.server.origin, apiKey: world.key });
}

/** A file whose rows are all different. */
function csv(rows = ROWS): Buffer {
  const lines = Array.from({ length: rows }, (_, row) => `${row},"question ${row}, with a comma",answer ${row % 7}`);
  return Buffer.from(`id,input,expected_output\n${lines.join('\n')}\n`);
}

async function upload(world: World, fileName: string, bytes: Buffer, pieces = 3): Promise<string> {
  const client = clientOf(world);
  const parameters = { project_id: world.project.id };
  const body = { file_name: fileName, size_bytes: bytes.length, sha256: sha256(bytes) };
  const { id } = await client.begin_upload({ parameters, body });
  const size = Math.ceil(bytes.length / pieces);
  for (let offset = 0; offset < bytes.length; offset += size) {
    const piece = bytes.subarray(offset, offset + size);
    const chunk = { ...parameters, upload_id: id, offset: String(offset), sha256: sha256(piece) };
    await client.put_upload_chunk({ parameters: chunk, body: { contentType: OCTETS, bytes: piece } });
  }
  return id;
}

/** Announces more than it sends and hangs up. */
function sendHalf(world: World, id: string, bytes: Uint8Array, offset: number): Promise<void> {
  return new Promise((resolve) => {
    const path = `/api/v1/projects/${world.project.id}/uploads/${id}/chunk?offset=${offset}`;
    const outgoing = request(`${world.server.origin}${path}`, {
      method: 'PUT',
      headers: { 'x-api-key': world.key, 'content-type': OCTETS, 'content-length': PIECE },
    });
    outgoing.once('error', () => resolve());
    outgoing.write(bytes, () => outgoing.destroy(new Error('the line is cut')));
  });
}

describe('REST: files and datasets', function () {
  this.timeout(120_000);

  it('take a file over a connection that breaks, and give the same rows back in every format', async () => {
    const world = await given.project();
    const client = clientOf(world);
    const bytes = csv();
    const parameters = { project_id: world.project.id };
    const begun = await client.begin_upload({
      parameters,
      body: { file_name: 'Rows.CSV', size_bytes: bytes.length, sha256: sha256(bytes) },
    });
    assert.deepEqual([begun.received_bytes, begun.complete, begun.size_bytes], [0, false, bytes.length]);
    const at = { ...parameters, upload_id: begun.id };
    const send = (offset: number, end: number, sum?: string) =>
      client.put_upload_chunk({
        parameters: { ...at, offset: String(offset), ...(sum !== undefined && { sha256: sum }) },
        body: { contentType: OCTETS, bytes: bytes.subarray(offset, end) },
      });
    for (let offset = 0; offset < bytes.length;) {
      await sendHalf(world, begun.id, bytes.subarray(offset, offset + 500), offset);
      assert.equal((await client.get_upload({ parameters: at })).received_bytes, offset, 'half a piece is no piece');
      offset = (await send(offset, offset + PIECE)).received_bytes;
    }
    const again = await send(0, PIECE, sha256(bytes.subarray(0, PIECE)));
    assert.deepEqual([again.received_bytes, again.complete], [bytes.length, true]);
    const made = await client.create_dataset({ parameters, body: { name: 'From "a" file ü', uploads: [begun.id] } });
    const job = await world.finishJob(made.job);
    assert.equal(job.status, 'idle', JSON.stringify(job));
    const dataset = made.dataset.id;
    const inspected = await world.call('inspect_dataset', { dataset });
    assert.match(JSON.stringify(inspected), /"BIGINT"/);
    const counted = await world.call('query_dataset', { dataset, sql: 'SELECT count(*) AS n, sum(id) AS s FROM t' });
    assert.deepEqual(counted.rows, [{ n: ROWS, s: (ROWS * (ROWS - 1)) / 2 }]);
    for (const format of ['jsonl', 'csv', 'parquet'] as const) {
      const file = await client.export_dataset({ parameters: { ...parameters, dataset, format } });
      const got = await file.bytes();
      assert.equal(file.headers.get('content-length'), String(got.length));
      assert.equal(file.headers.get('repr-digest'), `sha-256=:${Buffer.from(sha256(got), 'hex').toString('base64')}:`);
      assert.equal(file.headers.get('x-overmind-rows'), String(ROWS));
      assert.equal(file.headers.get('x-overmind-version'), '1.0');
      assert.match(file.headers.get('x-overmind-fingerprint') ?? '', /^[0-9a-f]{64}$/);
      const disposition = file.headers.get('content-disposition') ?? '';
      assert.ok(disposition.endsWith(`filename*=UTF-8''From%20%22a%22%20file%20%C3%BC%201.0.${format}`), disposition);
      if (format === 'csv') {
        assert.equal(Buffer.from(got).toString('utf8').split('\n').length, ROWS + 2);
        continue;
      }
      const back = await client.create_dataset({
        parameters,
        body: { name: format, uploads: [await upload(world, `back.${format}`, Buffer.from(got))] },
      });
      assert.equal((await world.finishJob(back.job)).status, 'idle');
      const twin = await client.export_dataset({ parameters: { ...parameters, dataset: back.dataset.id, format } });
      assert.equal(twin.headers.get('x-overmind-fingerprint'), file.headers.get('x-overmind-fingerprint'), format);
      await twin.bytes();
    }
  });

  it('make a training and an evaluation dataset of several files', async () => {
    const world = await given.project();
    const client = clientOf(world);
    const parameters = { project_id: world.project.id };
    const files = [
      await upload(world, 'one.csv', csv(60)),
      await upload(world, 'two.jsonl', Buffer.from('{"id":100,"input":"q","expected_output":"a","extra":true}\n')),
    ];
    const made = await client.create_dataset({
      parameters,
      body: { name: 'Both', uploads: files, split: { eval_percent: 25, position: 'random' } },
    });
    assert.equal((await world.finishJob(made.job)).status, 'idle');
    const halves = await world.call('list_datasets', { search: 'Both' });
    assert.deepEqual(
      halves.datasets.map(({ name }) => name).toSorted((left, right) => (left < right ? -1 : 1)),
      ['Both eval', 'Both train'],
    );
    let rows = 0;
    for (const { id } of halves.datasets) {
      const { rows: counted } = await world.call('query_dataset', { dataset: id, sql: 'SELECT count(*) AS n FROM t' });
      rows += Number(counted[0]?.['n']);
    }
    assert.equal(rows, 61);
  });

  it('keep of a split without repeats what their quality report calls different, and nothing that it calls repeated', async () => {
    const world = await given.project();
    const parameters = { project_id: world.project.id };
    const rows = [
      { messages: '', input: 'first', output: 'yes', kept: true },
      { messages: '', input: 'other words', output: 'yes', kept: true },
      { messages: ' ', input: 'other words', output: 'yes', kept: false },
      { messages: null, input: { asked: 1 }, output: 'yes', kept: true },
      { messages: '\u3000', input: '{"asked":1}', output: 'yes', kept: false },
      { messages: '', input: '', output: 'yes', kept: true },
      { messages: '', input: '', output: 'yes', kept: true, label: 'more' },
    ];
    const file = Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const made = await clientOf(world).create_dataset({
      parameters,
      body: {
        name: 'Once',
        uploads: [await upload(world, 'rows.jsonl', file, 1)],
        split: { eval_percent: 1, position: 'head' },
      },
    });
    assert.equal((await world.finishJob(made.job)).status, 'idle');
    const train = await world.call('inspect_dataset', { dataset: made.dataset.id });
    assert.deepEqual(train.cells[0]?.quality, []);
    assert.deepEqual(
      train.sample?.rows.map((row) => row['kept']),
      [true, true, true, true],
    );
  });

  it('say what is wrong, and keep nothing of it', async () => {
    const world = await given.project();
    const client = clientOf(world);
    const parameters = { project_id: world.project.id };
    const begin = (body: { file_name: string; size_bytes: number; sha256?: string }) =>
      client.begin_upload({ parameters, body });
    for (const file_name of ['rows.xls', 'rows', '../rows.csv', 'a\u0000.csv', 'rows.csv.exe'])
      assert.equal((await refused(begin({ file_name, size_bytes: 10 }))).code, 'invalid_input', file_name);
    assert.equal((await refused(begin({ file_name: 'a.csv', size_bytes: 2 ** 31 + 1 }))).code, 'invalid_input');
    const bytes = csv(10);
    const { id } = await begin({ file_name: 'a.csv', size_bytes: bytes.length });
    const put = (offset: string, piece: Uint8Array, sum?: string) =>
      client.put_upload_chunk({
        parameters: { ...parameters, upload_id: id, offset, ...(sum !== undefined && { sha256: sum }) },
        body: { contentType: OCTETS, bytes: piece },
      });
    const early = await refused(put('5', bytes));
    assert.deepEqual([early.status, early.code, early.fields], [409, 'request_conflict', { received_bytes: 0 }]);
    assert.equal((await refused(put('0', bytes, sha256(randomBytes(4))))).code, 'invalid_input');
    assert.equal((await refused(put('0', Buffer.concat([bytes, bytes])))).code, 'invalid_input');
    assert.equal((await refused(put('0', Buffer.alloc(0)))).code, 'invalid_input');
    assert.equal((await refused(put('-1', bytes))).code, 'invalid_input');
    const create = (uploads: string[]) => client.create_dataset({ parameters, body: { name: 'x', uploads } });
    assert.equal((await refused(create([id]))).code, 'invalid_input');
    assert.equal((await refused(create([newId()]))).code, 'resource_not_found');
    const twins = await Promise.allSettled([put('0', bytes), put('0', bytes)]);
    assert.deepEqual([...new Set(twins.map(({ status }) => status))], ['fulfilled']);
    assert.equal((await refused(put('0', Buffer.from('other')))).code, 'request_conflict');
    assert.equal((await refused(create([id, id]))).code, 'invalid_input');
    const objects = await world.services.db('upload_chunks').where({ upload_id: id });
    assert.equal(objects.length, 1);
    const lied = await begin({ file_name: 'b.csv', size_bytes: bytes.length, sha256: sha256(randomBytes(9)) });
    await client.put_upload_chunk({
      parameters: { ...parameters, upload_id: lied.id, offset: '0' },
      body: { contentType: OCTETS, bytes },
    });
    const made = await create([lied.id]);
    const job = await world.finishJob(made.job);
    assert.equal(job.status, 'error');
    assert.match(JSON.stringify(job), /checksum/);
    const empty = client.export_dataset({ parameters: { ...parameters, dataset: made.dataset.id } });
    assert.equal((await refused(empty)).code, 'cell_not_found');
  });

  it('belong to their project: uploads and datasets of others are not there', async () => {
    const [mine, theirs] = [await given.project(), await given.project()];
    const id = await upload(theirs, 'a.csv', csv(3));
    const client = clientOf(mine);
    const parameters = { project_id: mine.project.id };
    const foreign = await refused(client.get_upload({ parameters: { ...parameters, upload_id: id } }));
    const absent = await refused(client.get_upload({ parameters: { ...parameters, upload_id: newId() } }));
    assert.deepEqual([foreign.status, foreign.message], [absent.status, absent.message]);
    const create = client.create_dataset({ parameters, body: { name: 'x', uploads: [id] } });
    assert.equal((await refused(create)).code, 'resource_not_found');
    const made = await clientOf(theirs).create_dataset({
      parameters: { project_id: theirs.project.id },
      body: { name: 'x', uploads: [id] },
    });
    const dataset = made.dataset.id;
    assert.equal((await refused(client.export_dataset({ parameters: { ...parameters, dataset } }))).status, 404);
    const through = { project_id: theirs.project.id, dataset };
    assert.equal((await refused(client.export_dataset({ parameters: through }))).code, 'resource_not_found');
  });

  it('are forgotten when nobody goes on with them', async () => {
    const clock = new FakeClock(new Date());
    const server = await startServer({ clock });
    const world = await given.project({ server });
    const kept = await upload(world, 'a.csv', csv(3), 1);
    const { uploads } = server.services.datasets;
    await uploads.sweep();
    assert.equal((await uploads.get(world.project.id, kept)).receivedBytes, csv(3).length);
    clock.advance(2 * DAY_MS);
    await uploads.sweep();
    const { receivedBytes } = await uploads.get(world.project.id, kept);
    assert.equal(receivedBytes, csv(3).length, 'one clock that leaps ahead is no reason');
    assert.ok((await uploads.sweep(clock.now())) >= 1);
    await assert.rejects(uploads.get(world.project.id, kept), /no such upload/);
    await server.stop();
  });
});
