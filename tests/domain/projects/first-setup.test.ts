import assert from 'node:assert/strict';
import { migrate } from '../../../src/db/migrate.ts';
import { migrations } from '../../../src/db/migrations/index.ts';
import { setUpFirst } from '../../../src/domain/projects/index.ts';
import { sha256 } from '../../../src/kernel/secrets.ts';
import { emptyDatabase, openHandle } from '../../support/boot.ts';
import { makeServices } from '../../support/services.ts';

const INPUT = { email: 'owner@localhost', projectName: 'My agent' };

async function emptyServices() {
  const db = openHandle(await emptyDatabase());
  await migrate(db, migrations);
  return makeServices({ db });
}

describe('setUpFirst', () => {
  it('makes account, project and key exactly once when several processes start at once', async () => {
    const services = await emptyServices();
    const kept: string[] = [];
    const keep = async ({ secret }: { secret: string }) => void kept.push(secret);
    const made = await Promise.all(Array.from({ length: 5 }, () => setUpFirst(services, { ...INPUT, keep })));
    const things = made.filter((one) => one !== undefined);
    assert.equal(things.length, 1);
    assert.deepEqual(kept, [things[0]?.secret]);
    assert.equal((await services.accounts.list()).length, 1);
    assert.equal((await services.projects.list()).length, 1);
    const [key] = await services.apiKeys.list();
    assert.equal(key?.projectId, things[0]?.project.id);
    assert.equal((await services.apiKeys.findByHash(sha256(things[0]?.secret ?? '')))?.key.id, key?.id);
  });

  it('leaves the store empty when the secret cannot be kept, so that the next start tries again', async () => {
    const services = await emptyServices();
    const fail = async () => {
      throw new Error('disk full');
    };
    await assert.rejects(setUpFirst(services, { ...INPUT, keep: fail }), /disk full/);
    assert.deepEqual(await services.accounts.list(), []);
    assert.ok(await setUpFirst(services, { ...INPUT, keep: async () => undefined }));
  });
});
