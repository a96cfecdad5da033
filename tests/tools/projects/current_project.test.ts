import assert from 'node:assert/strict';
import { newId } from '../../../src/kernel/ids.ts';
import { given } from '../../support/given.ts';
import { startServer } from '../../support/mcp.ts';

const URI = 'overmind://project/current';

describe('overmind://project/current', () => {
  it('tells identity and provenance of the key’s project', async () => {
    const world = await given.project({ name: 'Support agent' });
    const { id, slug, createdAt } = world.project;
    const payload = await world.read(URI);
    assert.deepEqual(payload, {
      uri: URI,
      kind: 'project',
      id,
      name: 'Support agent',
      slug,
      console_url: `${world.server.origin}/?projectId=${id}`,
      integration_type: 'sdk',
      is_active: true,
      created_at: createdAt.toISOString(),
      updated_at: createdAt.toISOString(),
      repository_snapshot: null,
      last_synced_at: null,
    });
  });

  it('shows the scanned repository as it was reported', async () => {
    const world = await given.project();
    const repositorySnapshot = { repository: 'acme/agent', branch: 'main', dirty: false };
    const lastSyncedAt = '2026-03-01T12:00:00.000Z';
    await world.services.projects.saveSettings(world.project.id, { repositorySnapshot, lastSyncedAt });
    const payload = await world.read(URI);
    assert.deepEqual(payload['repository_snapshot'], repositorySnapshot);
    assert.equal(payload['last_synced_at'], lastSyncedAt);
  });

  it('keeps the path of FRONTEND_URL in console_url', async () => {
    const server = await startServer({ environment: { FRONTEND_URL: 'https://console.example.com/app/' } });
    const world = await given.project({ server });
    const payload = await world.read(URI);
    assert.equal(payload['console_url'], `https://console.example.com/app/?projectId=${world.project.id}`);
    await server.stop();
  });

  it('needs a project of an account key, and answers foreign and unknown ones alike', async () => {
    const world = await given.project();
    const foreign = await given.project();
    const caller = await world.withAccountKey();
    assert.equal((await caller.read(`${URI}?project_id=${world.project.id}`))['id'], world.project.id);
    for (const uri of [URI, `${URI}?project_id=${foreign.project.id}`, `${URI}?project_id=${newId()}`]) {
      await caller.refusesRead(uri, 'project_required');
    }
  });
});
