import assert from 'node:assert/strict';
import { sha256 } from '../../../src/kernel/secrets.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { FakeClock } from '../../support/fakes/clock.ts';
import { makeServices } from '../../support/services.ts';
import type { Services } from '../../../src/app/services.ts';

const READ_WRITE = { read: true, write: true };

async function member({ accounts, projects }: Services) {
  const account = await accounts.create({ email: `${newId()}@example.com` });
  const project = await projects.create({ accountId: account.id, name: 'Agent' });
  return { account, project };
}

describe('ApiKeysService.create', () => {
  it('gives a secret of 32 random bytes and stores its SHA-256 and twelve characters of it', async () => {
    const services = await makeServices();
    const { account } = await member(services);
    const { key, secret } = await services.apiKeys.create({
      accountId: account.id,
      name: 'laptop',
      permissions: READ_WRITE,
    });
    assert.match(secret, /^ovr_[A-Za-z0-9_-]{43}$/);
    assert.equal(Buffer.from(secret.slice(4), 'base64url').length, 32);
    assert.equal(key.prefix, secret.slice(0, 12));
    const row = await services.db('api_keys').where({ id: key.id }).first();
    assert.equal(row.key_hash, sha256(secret));
    assert.ok(!JSON.stringify(row).includes(secret.slice(12)), 'the rest of the secret must be nowhere in the row');
  });

  it('makes a project key for a member and refuses one for a stranger as if the project did not exist', async () => {
    const services = await makeServices();
    const { account, project } = await member(services);
    const stranger = await member(services);
    const { key } = await services.apiKeys.create({
      accountId: account.id,
      projectId: project.id,
      name: 'agent',
      permissions: { read: true, write: false },
    });
    assert.equal(key.projectId, project.id);
    const words = async (projectId: string) =>
      services.apiKeys
        .create({ accountId: stranger.account.id, projectId, name: 'agent', permissions: READ_WRITE })
        .then(
          () => assert.fail('made a key'),
          (error: Error & { code?: string }) => [error.code, error.message],
        );
    assert.deepEqual(await words(project.id), await words(newId()));
  });

  it('refuses keys without a permission, with a past expiry, with a blank name or with a range it cannot read', async () => {
    const clock = new FakeClock();
    const services = await makeServices({ clock });
    const { account } = await member(services);
    const input = { accountId: account.id, name: 'key', permissions: READ_WRITE };
    const bad = [
      [{ permissions: { read: false, write: false } }, 'permissions'],
      [{ expiresAt: clock.now() }, 'expires_at'],
      [{ name: '  ' }, 'name'],
      [{ allowedIps: ['10.0.0.0/33'] }, 'allowed_ips'],
      [{ allowedIps: ['example.com'] }, 'allowed_ips'],
      [{ allowedIps: ['10.0.0.0/8/8'] }, 'allowed_ips'],
      [{ allowedIps: Array.from({ length: 65 }, () => '10.0.0.1') }, 'allowed_ips'],
    ] as const;
    for (const [change, field] of bad) {
      await assert.rejects(
        services.apiKeys.create({ ...input, ...change }),
        (error: Error & { code?: string; fields?: object }) => {
          assert.equal(error.code, 'invalid_input');
          assert.deepEqual(Object.keys(error.fields ?? {}), [field]);
          return true;
        },
      );
    }
  });
});

describe('ApiKeysService.revoke', () => {
  it('takes an id or a prefix, tells listeners, and keeps the first moment when repeated', async () => {
    const clock = new FakeClock();
    const services = await makeServices({ clock });
    const { account } = await member(services);
    let told = 0;
    services.changes.onChange(() => (told += 1));
    const { key } = await services.apiKeys.create({ accountId: account.id, name: 'key', permissions: READ_WRITE });
    const first = await services.apiKeys.revoke(key.prefix);
    clock.advance(60_000);
    const second = await services.apiKeys.revoke(key.id);
    assert.deepEqual(second.revokedAt, first.revokedAt);
    assert.equal(told, 2);
  });

  it('answers resource_not_found for what is no key', async () => {
    const { apiKeys } = await makeServices();
    await assert.rejects(apiKeys.revoke(newId()), { code: 'resource_not_found' });
  });
});

describe('KeyUsage', () => {
  it('writes the last use after the request and at most once a minute', async () => {
    const services = await makeServices();
    const { account } = await member(services);
    const { key } = await services.apiKeys.create({ accountId: account.id, name: 'key', permissions: READ_WRITE });
    const lastUse = async () => (await services.apiKeys.list({ accountId: account.id }))[0]?.lastUsedAt?.toISOString();
    const use = async (at: string) => {
      services.keyUsage.touch(key.id, new Date(at));
      await services.keyUsage.flush();
    };
    await use('2026-03-01T12:00:00.000Z');
    await use('2026-03-01T12:00:59.000Z');
    assert.equal(await lastUse(), '2026-03-01T12:00:00.000Z');
    await use('2026-03-01T12:01:00.000Z');
    assert.equal(await lastUse(), '2026-03-01T12:01:00.000Z');
  });

  it('never moves the last use backwards', async () => {
    const services = await makeServices();
    const other = await makeServices();
    const { account } = await member(services);
    const { key } = await services.apiKeys.create({ accountId: account.id, name: 'key', permissions: READ_WRITE });
    services.keyUsage.touch(key.id, new Date('2026-03-01T12:05:00.000Z'));
    await services.keyUsage.flush();
    other.keyUsage.touch(key.id, new Date('2026-03-01T12:00:00.000Z'));
    await other.keyUsage.flush();
    const [stored] = await services.apiKeys.list({ accountId: account.id });
    assert.equal(stored?.lastUsedAt?.toISOString(), '2026-03-01T12:05:00.000Z');
  });
});
