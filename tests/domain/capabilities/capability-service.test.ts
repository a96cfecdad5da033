import assert from 'node:assert/strict';
import { makeWorld, type World } from '../observability/support/world.ts';

const send = (world: World, attributes: Record<string, string>, projectId = world.projectId) =>
  world.send([{ attributes }], { projectId });

describe('capabilities in traffic', () => {
  it('come into being with the first span that names them, once however many batches do at a time', async () => {
    const world = await makeWorld();
    await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        world.send([
          { attributes: { 'overmind.capability': index % 2 === 0 ? 'Order Desk' : 'order desk' } },
          { attributes: { 'overmind.capability': `Other ${index % 3}` } },
        ]),
      ),
    );
    const { rows } = await world.traces.list(world.projectId, {
      allSpans: false,
      ordering: { key: 'name', descending: false },
      limit: 100,
    });
    const slugs = rows.map((row) => row.capabilitySlug ?? '');
    assert.equal(slugs.filter((slug) => slug === 'order-desk').length, 8);
    assert.deepEqual(new Set(slugs), new Set(['order-desk', 'other-0', 'other-1', 'other-2']));
  });

  it('are one when the program uses name, slug, id or our id for the same', async () => {
    const world = await makeWorld();
    await send(world, { 'overmind.capability.id': 'billing-v1', 'overmind.capability.name': 'Billing Bot' });
    const capability = await world.capabilities.require(world.projectId, 'billing bot');
    for (const attributes of [
      { 'overmind.capability': 'BILLING BOT' },
      { 'overmind.capability': 'billing-bot' },
      { 'overmind.capability.slug': 'billing-bot' },
      { 'overmind.capability.id': 'billing-v1' },
      { 'overmind.capability.id': capability.id },
      { 'overmind.capability.id': 'billing-v1', 'overmind.capability.name': 'Billing' },
      { 'gen_ai.agent.name': 'Billing Bot' },
    ]) {
      await send(world, attributes);
    }
    assert.equal((await world.health.activity(world.projectId, capability.id)).traceCount, 8);
    assert.equal((await world.capabilities.require(world.projectId, 'Billing')).id, capability.id);
  });

  it('resolve by id before name, name before slug, slug before an identity once held', async () => {
    const world = await makeWorld();
    await send(world, { 'overmind.capability': 'Alpha Beta' });
    const first = await world.capabilities.require(world.projectId, 'alpha-beta');
    await send(world, { 'overmind.capability.id': first.id, 'overmind.capability.name': 'Gamma' });
    assert.equal((await world.capabilities.require(world.projectId, 'gamma')).id, first.id);
    assert.equal((await world.capabilities.require(world.projectId, first.id.toUpperCase())).id, first.id);
    assert.equal((await world.capabilities.require(world.projectId, '  ALPHA beta ')).id, first.id);
  });

  it('have a slug whatever their name is written in', async () => {
    const world = await makeWorld();
    for (const name of ['Émile & Zoë', '注文', '🎉🎉', '---']) await send(world, { 'overmind.capability': name });
    const slugs = await Promise.all(
      ['émile & zoë', '注文', '🎉🎉', '---'].map(
        async (name) => (await world.capabilities.require(world.projectId, name)).slug,
      ),
    );
    assert.equal(slugs[0], 'emile-zoe');
    assert.equal(new Set(slugs).size, 4);
    for (const slug of slugs) assert.match(slug, /^[a-z0-9-]+$/);
  });

  it('of one project are unknown in another', async () => {
    const world = await makeWorld();
    await send(world, { 'overmind.capability': 'Secret' }, world.otherProjectId);
    const theirs = await world.capabilities.require(world.otherProjectId, 'secret');
    for (const reference of ['secret', theirs.id]) {
      await assert.rejects(world.capabilities.require(world.projectId, reference), { code: 'capability_not_found' });
    }
    assert.deepEqual(await world.capabilities.complete(world.projectId, 'sec'), []);
    await send(world, { 'overmind.capability.id': theirs.id, 'overmind.capability.name': 'Secret' });
    assert.notEqual((await world.capabilities.require(world.projectId, 'secret')).id, theirs.id);
  });
});
