import assert from 'node:assert/strict';
import type { Client } from '../../generated/client/index.ts';
import { newId } from '../../src/kernel/ids.ts';
import { given, type World } from '../support/given.ts';
import { refused } from './support/person.ts';

const GIB = 2 ** 30;
const OCTETS = 'application/octet-stream';

async function upload(world: World, fileName: string, content: string | Uint8Array): Promise<string> {
  const client = world.client();
  const bytes = Buffer.from(content);
  const parameters = { project_id: world.project.id };
  const { id } = await client.begin_upload({ parameters, body: { file_name: fileName, size_bytes: bytes.length } });
  const chunk = { ...parameters, upload_id: id, offset: '0' };
  await client.put_upload_chunk({ parameters: chunk, body: { contentType: OCTETS, bytes } });
  return id;
}

type NewDataset = Parameters<Client['create_dataset']>[0]['body'];

describe('REST: limits of files and datasets', function () {
  this.timeout(120_000);
  let world: World;
  before(async () => {
    world = await given.project();
  });

  const create = (body: NewDataset) =>
    world.client().create_dataset({ parameters: { project_id: world.project.id }, body });
  const announce = (size: number) =>
    world.client().begin_upload({
      parameters: { project_id: world.project.id },
      body: { file_name: 'rows.csv', size_bytes: size },
    });

  it('take a file of 2 GiB, and none that is a byte larger or empty', async () => {
    assert.equal((await announce(2 * GIB)).size_bytes, 2 * GIB);
    for (const size of [2 * GIB + 1, 0]) {
      const error = await refused(announce(size));
      assert.deepEqual([error.status, error.code], [400, 'invalid_input']);
      assert.ok('size_bytes' in error.fields, JSON.stringify(error.fields));
    }
  });

  it('take files of 2 GiB together, and not a byte more', async () => {
    const ids: string[] = [];
    for (const size of [GIB, GIB, 1]) ids.push((await announce(size)).id);
    // As if all their pieces had come: what counts here is how much was announced.
    await world.services
      .db('uploads')
      .whereIn('id', ids)
      .update({ received_bytes: world.services.db.ref('size_bytes') });
    const error = await refused(create({ name: 'too much', uploads: ids }));
    assert.deepEqual([error.status, error.code], [400, 'invalid_input']);
    assert.deepEqual(error.fields, { uploads: 'are too large' });
    assert.match(error.message, /2 GiB together; make several datasets/);
    const { datasets } = await world.call('list_datasets', { search: 'too much' });
    assert.deepEqual(datasets, []);
    const made = await create({ name: 'just enough', uploads: ids.slice(0, 2) });
    assert.equal(made.dataset.state, 'landing');
  });

  it('make one dataset of 100 files, in their order, and none of 101', async () => {
    const ids: string[] = [];
    for (let from = 0; from < 100; from += 10) {
      const some = Array.from({ length: 10 }, (_, index) => from + index);
      ids.push(...(await Promise.all(some.map((n) => upload(world, `${n}.csv`, `n,text\n${n},x\n`)))));
    }
    const error = await refused(create({ name: 'hundred and one', uploads: [...ids, newId()] }));
    assert.deepEqual([error.status, error.code], [400, 'invalid_input']);
    assert.match(String(error.fields['uploads']), /100/);
    const made = await create({ name: 'hundred', uploads: ids });
    const job = await world.finishJob(made.job);
    assert.equal(job.status, 'idle', JSON.stringify(job));
    const { rows } = await world.call('query_dataset', {
      dataset: 'hundred',
      sql: 'SELECT count(*) AS files, count_if(n = source_row - 1) AS in_order FROM t',
    });
    assert.deepEqual(rows, [{ files: 100, in_order: 100 }]);
  });

  it('take 1000 columns with names of 255 characters, whatever is in them, and show them in part', async () => {
    const names = Array.from({ length: 1_000 }, (_, index) => `${index} "it's";--\\é🎉`.padEnd(254, 'x'));
    const header = names.map((name) => `"${name.replaceAll('"', '""')}"`).join(',');
    const wide = await upload(world, 'wide.csv', `${header}\n${names.map((_, index) => index).join(',')}\n`);
    const made = await create({ name: 'wide', uploads: [wide] });
    const job = await world.finishJob(made.job);
    assert.equal(job.status, 'idle', JSON.stringify(job));
    const { cells, sample } = await world.call('inspect_dataset', { dataset: 'wide' });
    assert.equal(cells[0]?.columns_truncated, true);
    assert.deepEqual(
      cells[0]?.columns.map(({ name }) => name),
      names.slice(0, 100),
    );
    assert.equal(sample?.rows.length, 1);
    const last = names.at(-1) ?? '';
    const sql = `SELECT "${last.replaceAll('"', '""')}" AS last FROM t`;
    assert.deepEqual((await world.call('query_dataset', { dataset: 'wide', sql })).rows, [{ last: 999 }]);
  });

  it('say what is wrong with a file in the job, the dataset and the next step, and land it again when asked', async () => {
    const id = await upload(world, 'bad.csv', 'a,b\n1,2\n3\n');
    const made = await create({ name: 'bad', uploads: [await upload(world, 'good.csv', 'a,b\n1,2\n'), id] });
    const told = 'File 2: Line 3 has another number of fields, 1, than the header, 2.';
    const job = await world.finishJob(made.job);
    assert.deepEqual(
      [job.status, job.final, job.job_error?.includes(told)],
      ['error', true, true],
      JSON.stringify(job),
    );
    const { state, error, next_actions: next } = await world.call('inspect_dataset', { dataset: 'bad' });
    assert.deepEqual([state, error], ['error', told]);
    assert.deepEqual(
      next.map(({ tool }) => tool),
      ['run_dataset'],
    );
    const again = await world.call('run_dataset', { dataset: 'bad' });
    assert.equal(again.dataset.state, 'landing');
    assert.equal((await world.finishJob(again.job)).status, 'error');
  });

  it('take names of 1 to 249 characters, none that is blank and no text that cannot be stored', async () => {
    const uploads = [await upload(world, 'one.csv', 'a\n1\n')];
    for (const name of ['', ' \t', '\u3000\u200b', 'n'.repeat(250), 'a\u0000b', 'a\ud800b']) {
      const error = await refused(create({ name, uploads }));
      assert.deepEqual([error.status, error.code], [400, 'invalid_input'], JSON.stringify(name.slice(0, 5)));
    }
    const address = await refused(create({ name: 'overmind://datasets/x', uploads }));
    assert.match(address.message, /is the address of a resource; write a plain name/);
    const spaced = await create({ name: ' spaced out\n', uploads: [await upload(world, 'two.csv', 'a\n1\n')] });
    assert.equal(spaced.dataset.name, 'spaced out');
    const name = 'n'.repeat(249);
    const made = await create({ name, uploads, split: { eval_percent: 50 } });
    assert.deepEqual([made.dataset.name, made.eval_dataset?.name], [`${name} train`, `${name} eval`]);
  });
});
