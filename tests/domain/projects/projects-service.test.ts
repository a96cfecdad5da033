import assert from 'node:assert/strict';
import { newId } from '../../../src/kernel/ids.ts';
import { makeServices } from '../../support/services.ts';
import type { Services } from '../../../src/app/services.ts';

const account = ({ accounts }: Services) => accounts.create({ email: `${newId()}@example.com` });

describe('ProjectsService.create', () => {
  it('makes the creator a member and a slug from the name', async () => {
    const services = await makeServices();
    const owner = await account(services);
    const word = newId().slice(-12);
    const project = await services.projects.create({ accountId: owner.id, name: `  Café ${word} Agent! ` });
    assert.equal(project.name, `Café ${word} Agent!`);
    assert.equal(project.slug, `cafe-${word}-agent`);
    assert.deepEqual(await services.projects.findAccessible({ accountId: owner.id }, project.id), project);
  });

  it('gives further projects of one name further slugs, also when they are made at once', async () => {
    const services = await makeServices();
    const owner = await account(services);
    const name = `Twin ${newId().slice(-12)}`;
    const made = await Promise.all(
      Array.from({ length: 12 }, () => services.projects.create({ accountId: owner.id, name })),
    );
    assert.equal(new Set(made.map((project) => project.slug)).size, 12);
  });

  it('refuses a slug that is taken, malformed slugs and malformed names', async () => {
    const services = await makeServices();
    const owner = await account(services);
    const slug = `s-${newId()}`;
    await services.projects.create({ accountId: owner.id, name: 'One', slug });
    await assert.rejects(services.projects.create({ accountId: owner.id, name: 'Two', slug }), {
      fields: { slug: 'taken' },
    });
    for (const bad of ['', 'A', 'a--b', '-a', 'a b', 'ä']) {
      await assert.rejects(services.projects.create({ accountId: owner.id, name: 'Two', slug: bad }), {
        code: 'invalid_input',
      });
    }
    for (const name of ['', '   ', 'a\u0000b', 'x'.repeat(256)]) {
      await assert.rejects(services.projects.create({ accountId: owner.id, name }), { code: 'invalid_input' });
    }
  });
});

describe('ProjectsService.listAccessible', () => {
  it('pages through the projects of the account by name without case, each once, and nobody else’s', async () => {
    const services = await makeServices();
    const owner = await account(services);
    const stranger = await account(services);
    await services.projects.create({ accountId: stranger.id, name: 'b foreign' });
    const names = ['delta', 'Alpha', 'charlie', 'Bravo', 'alpha', 'ALPHA', 'Éclair'];
    for (const name of names) await services.projects.create({ accountId: owner.id, name });
    const seen: string[] = [];
    const ids = new Set<string>();
    let after: { name: string; id: string } | undefined;
    for (let page = 0; page < 10; page += 1) {
      const answer = await services.projects.listAccessible(
        { accountId: owner.id },
        { limit: 2, ...(after && { after }) },
      );
      assert.ok(answer.projects.length <= 2);
      for (const project of answer.projects) {
        seen.push(project.name);
        ids.add(project.id);
      }
      if (answer.next === undefined) break;
      after = answer.next;
    }
    assert.equal(ids.size, names.length);
    assert.deepEqual(
      seen.map((name) => name.toLowerCase()),
      ['alpha', 'alpha', 'alpha', 'bravo', 'charlie', 'delta', 'éclair'],
    );
  });

  it('shows a project credential exactly its own project', async () => {
    const services = await makeServices();
    const owner = await account(services);
    await services.projects.create({ accountId: owner.id, name: 'Another' });
    const own = await services.projects.create({ accountId: owner.id, name: 'Own' });
    const page = await services.projects.listAccessible({ accountId: owner.id, projectId: own.id }, { limit: 50 });
    assert.deepEqual(page, { projects: [own] });
  });

  it('hides inactive projects and projects the account has left', async () => {
    const services = await makeServices();
    const owner = await account(services);
    const kept = await services.projects.create({ accountId: owner.id, name: 'Kept' });
    const inactive = await services.projects.create({ accountId: owner.id, name: 'Inactive' });
    const left = await services.projects.create({ accountId: owner.id, name: 'Left' });
    await services.projects.setActive(inactive.id, false);
    await services.projects.removeMember(left.id, owner.id);
    const page = await services.projects.listAccessible({ accountId: owner.id }, { limit: 50 });
    assert.deepEqual(
      page.projects.map((project) => project.id),
      [kept.id],
    );
    for (const id of [inactive.id, left.id, newId(), 'nonsense', "' or 1=1"]) {
      assert.equal(await services.projects.findAccessible({ accountId: owner.id }, id), undefined);
    }
  });
});

describe('ProjectsService.saveSettings', () => {
  it('keeps the repository snapshot as it was given', async () => {
    const services = await makeServices();
    const owner = await account(services);
    const { id } = await services.projects.create({ accountId: owner.id, name: 'Agent' });
    const repositorySnapshot = { repository: 'acme/agent', commit: 'abc', dirty: false, files: 12 };
    const lastSyncedAt = '2026-03-01T12:00:00.000Z';
    const saved = await services.projects.saveSettings(id, { repositorySnapshot, lastSyncedAt });
    assert.deepEqual(saved.settings, { repositorySnapshot, lastSyncedAt });
    assert.deepEqual((await services.projects.get(id)).settings, saved.settings);
  });
});
