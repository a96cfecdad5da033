import assert from 'node:assert/strict';
import { newId } from '../../src/kernel/ids.ts';
import { ACCOUNT } from '../domain/datasets/datasets-world.ts';
import { freshDatabase } from '../support/boot.ts';
import { calls, ModelServer, says } from '../support/fakes/model-server.ts';
import { given } from '../support/given.ts';
import { startServer } from '../support/mcp.ts';
import type { TestServer } from '../support/mcp.ts';
import { landedDataset, landedFile } from '../tools/datasets/support.ts';
import { PASSWORD, Site } from './support/site.ts';

const REFERENCES = 'SELECT * REPLACE (output AS expected_output) FROM t';
const MARKUP = '<script>alert(1)</script> & more';

describe('The dataset page of the Console', () => {
  let model: ModelServer;
  let server: TestServer;

  before(async function () {
    this.timeout(90_000);
    model = await ModelServer.start();
    const environment = { MODEL_PROVIDER_URL: model.url, MODEL_PROVIDER_MODEL: 'some-model' };
    server = await startServer({ database: await freshDatabase(), environment });
  });
  after(async () => {
    await server.stop();
    await model.stop();
  });

  /** Somebody signed in, with a dataset of three tickets and an agent key of the same account. */
  async function member(at: TestServer) {
    const { accounts } = at.services;
    const account = await accounts.create({ email: `${newId()}@example.com`, password: PASSWORD });
    const world = await given.project({ server: at, account });
    const id = await landedDataset(world);
    const site = new Site(at.origin);
    assert.equal((await site.signIn(account.email)).status, 303);
    return { world, id, site, path: `/datasets/${id}?projectId=${world.project.id}` };
  }

  it('asks the agent only once the cost is agreed to, shows the chat and decides proposals', async () => {
    const { world, id, site, path } = await member(server);
    const fresh = (await site.get(path)).html;
    assert.match(fresh, /Nothing has been said/);
    assert.match(fresh, /Made from 3 traces, 0 of them failed, in 0 sessions\. Models: .*small-model<\/span> \(3\)\./);
    const unaware = await site.submit(path, 'message', { message: MARKUP });
    assert.equal(unaware.status, 400);
    assert.match(unaware.html, /know of the cost/);
    assert.match(unaware.html, /&lt;script&gt;alert\(1\)&lt;\/script&gt; &amp; more<\/textarea>/);
    assert.equal(model.questions.length, 0);
    const blank = await site.submit(path, 'message', { message: '  ', agreed: 'yes' });
    assert.match(blank.html, /The message is blank/);

    const step = (title: string) => ({ name: 'propose_step', args: { title, sql: REFERENCES, mode: 'propose' } });
    model.will(calls(step('First'), step('Second')), says(`Two <b>ways</b>.`), says('Closed.'));
    const sent = await site.submit(path, 'message', { message: MARKUP, agreed: 'yes' });
    assert.deepEqual([sent.status, sent.location?.includes('notice=agent_asked')], [303, true]);
    const during = (await site.get(path)).html;
    assert.doesNotMatch(during, /Ask the agent/);
    await world.finishJob({ kind: 'dataset_run', id });
    const page = await site.get(path);
    assert.match(page.html, /&lt;script&gt;alert\(1\)/);
    assert.doesNotMatch(page.html, /<script>alert|<b>ways/);
    assert.match(page.html, /awaiting_approval/);
    const cells = (await world.call('inspect_dataset', { dataset: id })).cells.filter(
      (cell) => cell.state === 'proposed',
    );
    assert.deepEqual(
      cells.map(({ title }) => [title, page.html.includes(`aria-label="Approve ${title}"`)]),
      [
        ['First', true],
        ['Second', true],
      ],
    );
    const [first, second] = cells.map((cell) => cell.id);
    const question = await site.submit(path, 'deny', { cell: second ?? '', subject: 'Second' });
    assert.match(question.html, /Deny the proposal/);
    assert.equal((await world.call('inspect_dataset', { dataset: id })).cells.length, 3, 'nothing is denied unasked');
    const denied = await site.submit(path, 'deny', { cell: second ?? '', confirmed: 'yes' });
    assert.match(denied.location ?? '', /proposal_denied/);
    const approved = await site.submit(path, 'approve', { cell: first ?? '' });
    assert.match(approved.location ?? '', /proposal_approved/);
    await world.finishJob({ kind: 'dataset_run', id });
    const after = await site.get(path);
    assert.match(after.html, /Closed\./);
    assert.match(after.html, /resolved/);
    assert.match(after.html, /<td>1\.1 <span class="tag good">in use/);
  });

  it('shows what a review of the rows found, and cuts long values between characters', async () => {
    const { world, site } = await member(server);
    const row = JSON.stringify({ input: `a${'🎉'.repeat(400)}`, output: 'yes' });
    const { dataset } = await landedFile(world, 'again.jsonl', `${row}\n`.repeat(12));
    const { html } = await site.get(`/datasets/${dataset.id}?projectId=${world.project.id}`);
    assert.match(html, /11 of 12 rows repeat the content of an earlier row\./);
    assert.match(html, /source_row<\/code> 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, …\)/);
    assert.match(html, /a🎉+…/u);
    assert.doesNotMatch(html, /\ufffd/);
  });

  it('says what is to be set where no model can be asked, and still decides proposals', async () => {
    const plain = await startServer({ database: await freshDatabase() });
    const { world, id, site, path } = await member(plain);
    const page = await site.get(path);
    assert.match(page.html, /No language model is set up/);
    assert.doesNotMatch(page.html, /Ask the agent/);
    const refused = await site.submit(path, 'message', { message: 'Hello', agreed: 'yes' });
    assert.equal(refused.status, 409);
    assert.match(refused.html, /MODEL_PROVIDER_URL/);
    const { cellId } = await plain.services.datasets.preparation.addStep(world.project.id, id, {
      title: 'By hand',
      script: REFERENCES,
      note: 'For evaluation',
      accountId: ACCOUNT,
      isProposal: true,
    });
    assert.match((await site.get(path)).html, /For evaluation/);
    const denied = await site.submit(path, 'deny', { cell: cellId, confirmed: 'yes' });
    assert.match(denied.location ?? '', /proposal_denied/);
    assert.equal((await world.call('inspect_dataset', { dataset: id })).cells.length, 1);
    const gone = await site.submit(path, 'approve', { cell: cellId });
    assert.equal(gone.status, 404);
    await plain.stop();
  });
});
