import assert from 'node:assert/strict';
import type { Db } from '../../src/db/database.ts';
import { freshDatabase } from '../support/boot.ts';
import { Search, searchDatabase } from '../support/canary.ts';
import { Browser, leftTo, pageOf } from './support/browser.ts';
import { mcp, PASSWORD, person, pkce, RawClient, signIn, tokensOf } from './support/client.ts';
import { startOAuthServer } from './support/server.ts';

/** Every value of every table of every schema that is ours, as text. */
async function dump(db: Db): Promise<Map<string, string>> {
  const { rows } = await db.raw<{ rows: { schema: string; name: string }[] }>(
    `select table_schema as schema, table_name as name from information_schema.tables
     where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE'`,
  );
  const tables = new Map<string, string>();
  for (const { schema, name } of rows) {
    const found = await db.raw<{ rows: { text: string | null }[] }>(
      `select string_agg(row_to_json(t)::text, E'\\n') as text from ??.?? t`,
      [schema, name],
    );
    tables.set(`${schema}.${name}`, found.rows[0]?.text ?? '');
  }
  return tables;
}

describe('OAuth secrets', () => {
  it('stand in no table, log line or metric, whole or in their telling half', async () => {
    const database = await freshDatabase();
    const server = await startOAuthServer({ database });
    const secrets = new Map<string, string>([['password', PASSWORD]]);
    const who = await person(server);
    await server.services.projects.create({ accountId: who.account.id, name: 'Agent' });
    const client = await RawClient.register(server);
    const keys = await server.services.oauth.keys.getOrCreate();
    secrets.set('signing key', String(keys.signing[0]?.['d']));
    secrets.set('cookie key', keys.cookies[0] ?? '');

    const proof = pkce();
    secrets.set('verifier', proof.verifier);
    const browser = new Browser(server.origin);
    const asked = pageOf(await browser.open(client.authorizeUrl(proof)));
    const page = pageOf(await signIn(browser, who, { page: asked }));
    const csrf = /name="csrf" value="([^"]*)"/.exec(page.html)?.[1] ?? '';
    secrets.set('form token', csrf);
    // The id of an interaction is part of an address; its signature and the sign-in are what proves anything.
    for (const { name, value } of browser.cookies)
      if (!/(interaction|resume)$/.test(name)) secrets.set(`cookie ${name}`, value);
    const left = leftTo(await browser.submit(page, { decision: 'connect' }));
    for (const { name, value } of browser.cookies)
      if (!/(interaction|resume)$/.test(name)) secrets.set(`later cookie ${name}`, value);
    const code = left.searchParams.get('code') ?? '';
    secrets.set('code', code);
    await client.exchange(code, pkce());
    const tokens = tokensOf(await client.exchange(code, proof));
    const next = tokensOf(await client.refresh(tokens.refresh_token));
    tokensOf(await client.refresh(tokens.refresh_token));
    for (const [index, pair] of [tokens, next].entries()) {
      secrets.set(`access token ${index}`, pair.access_token);
      secrets.set(`refresh token ${index}`, pair.refresh_token);
      await mcp(server, pair.access_token, 'tools/call', { name: 'list_projects', arguments: {} });
      await mcp(server, pair.access_token, 'tools/call', { name: 'create_dataset_from_traces', arguments: {} });
    }
    // An unfinished sign-in leaves its records behind too.
    await browser.open(client.authorizeUrl(pkce()));
    await client.revoke(next.refresh_token);
    await mcp(server, next.access_token);
    await client.exchange(code, proof);
    await server.services.agentCalls.flush();

    const places = await dump(database.db);
    places.set('log', JSON.stringify(server.log));
    const metrics = await fetch(`${server.origin}/metrics`);
    assert.equal(metrics.status, 200);
    places.set('metrics', await metrics.text());
    assert.ok((places.get('public.oauth_tokens') ?? '').length > 100, 'the dump holds no tokens at all');
    assert.ok((places.get('public.agent_calls') ?? '').includes('list_projects'), 'the dump holds no calls');
    assert.ok(secrets.size >= 12, [...secrets.keys()].join());
    for (const [what, secret] of secrets) {
      assert.ok(secret.length >= 20, `${what} is no secret: ${secret}`);
      for (const [place, text] of places)
        for (const form of [secret, encodeURIComponent(secret), secret.slice(0, 20 + secret.length / 4)])
          assert.ok(!text.includes(form), `${what} stands in ${place}`);
    }
    await server.stop();
  });
});

describe('The canary over the whole suite', () => {
  const secret = `ovr_${'Zq7-'.repeat(10)}abc`;
  const phrase = 'a pass phrase with spaces';

  it('sees a secret in a row of any table, and stays silent about all else there', async () => {
    const { db } = await freshDatabase();
    const search = new Search(
      new Map([
        [secret, 'a key'],
        [phrase, 'a password'],
      ]),
    );
    await searchDatabase(search, 'copy', db);
    assert.deepEqual([...search.leaks], []);
    assert.ok(search.characters > 100, 'nothing was read');
    const id = '01890000-0000-7000-8000-000000000001';
    await db('accounts').insert({ id, email: `${phrase}@example.com` });
    await db('projects').insert({ id, name: `x:${secret.slice(10)}`, slug: 'x' });
    await searchDatabase(search, 'copy', db);
    assert.deepEqual([...search.leaks].toSorted(), [
      'a key in public.projects of copy',
      'a password in public.accounts of copy',
    ]);
  });

  it('knows a secret by a part of it that tells, and lets pass what is shown on purpose', () => {
    const leaks = (text: string): number => {
      const search = new Search(new Map([[secret, 'a key']]));
      search.look('a line', text);
      return search.leaks.size;
    };
    for (const text of [
      secret,
      `"Bearer ${secret}"`,
      `?key=${secret}&x`,
      `${secret}ZZZ`,
      secret.slice(8),
      secret.slice(0, 30),
    ])
      assert.equal(leaks(text), 1, text);
    for (const text of ['', secret.slice(0, 12), 'ovr_', '0189'.repeat(20), secret.toUpperCase()])
      assert.equal(leaks(text), 0, text);
  });
});
