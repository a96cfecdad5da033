import assert from 'node:assert/strict';
import { describeTool } from '../../support/describe-tool.ts';
import { given } from '../../support/given.ts';

describeTool('list_projects', {
  succeeds: {
    'gives a project key exactly its own project, with a link that reads it back': async () => {
      const world = await given.project({ name: 'Support agent' });
      await world.services.projects.create({ accountId: world.account.id, name: 'Another' });
      const { id, slug } = world.project;
      const answer = await world.call('list_projects', {});
      assert.deepEqual(answer, {
        summary: '1 project.',
        projects: [
          {
            id,
            name: 'Support agent',
            slug,
            console_url: `${world.server.origin}/?projectId=${id}`,
            resource_uri: 'overmind://project/current',
          },
        ],
        page: { limit: 50, has_more: false, next_cursor: null, total: 1 },
      });
      assert.equal((await world.read(answer.projects[0]?.resource_uri ?? ''))['id'], id);
    },

    'gives an account key every active project of its account, whose links name the project': async () => {
      const caller = await given.account();
      const { projects } = caller.services;
      const made = [];
      for (const name of ['Beta', 'alpha', 'Gamma'])
        made.push(await projects.create({ accountId: caller.account.id, name }));
      await given.project({ name: 'Foreign' });
      const answer = await caller.call('list_projects', {});
      assert.deepEqual(
        answer.projects.map(({ name }) => name),
        ['alpha', 'Beta', 'Gamma'],
      );
      for (const { id, resource_uri: uri } of answer.projects) {
        assert.equal(uri, `overmind://project/current?project_id=${id}`);
        assert.equal((await caller.read(uri))['id'], id);
      }
      await projects.setActive(made[0]?.id ?? '', false);
      assert.equal((await caller.call('list_projects', {})).projects.length, 2);
    },

    'pages by cursor through all projects, each once': async () => {
      const caller = await given.account();
      for (let index = 0; index < 5; index += 1) {
        await caller.services.projects.create({ accountId: caller.account.id, name: `Project ${index}` });
      }
      const seen: string[] = [];
      let cursor: string | null | undefined;
      do {
        const page = await caller.call('list_projects', { limit: 2, ...(cursor ? { cursor } : {}) });
        seen.push(...page.projects.map(({ name }) => name));
        assert.equal(page.page.total, undefined);
        assert.equal(page.page.has_more, page.page.next_cursor !== null);
        cursor = page.page.next_cursor;
      } while (cursor !== null);
      assert.deepEqual(seen, ['Project 0', 'Project 1', 'Project 2', 'Project 3', 'Project 4']);
    },

    'answers an account without a project with an empty list': async () => {
      const caller = await given.account();
      const answer = await caller.call('list_projects', {});
      assert.deepEqual(answer.projects, []);
      assert.equal(answer.page.total, 0);
    },
  },
  fails: {
    invalid_filter: async () => {
      const [caller, stranger] = [await given.account(), await given.account()];
      for (const name of ['A', 'B']) await stranger.services.projects.create({ accountId: stranger.account.id, name });
      const { page } = await stranger.call('list_projects', { limit: 1 });
      await caller.refuses('list_projects', { cursor: page.next_cursor }, { code: 'invalid_filter' });
      await caller.refuses('list_projects', { cursor: 'nonsense' }, { code: 'invalid_filter' });
    },
  },
});

describe('list_projects arguments', () => {
  it('refuses a limit out of bounds and an unknown argument by name', async () => {
    const caller = await given.account();
    for (const limit of [0, 101, 1.5]) {
      const { code, fields } = await caller.refusal('list_projects', { limit });
      assert.equal(code, 'invalid_input');
      assert.deepEqual(Object.keys(fields), ['limit']);
    }
    const error = await caller.refusal('list_projects', { limitt: 5 });
    assert.equal(error.code, 'invalid_input');
    assert.match(error.message, /limit/);
  });
});
