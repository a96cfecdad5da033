import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { runCli } from '../../../codegen/cli/run.ts';
import type { Mock } from '../../../codegen/mock/mock.ts';
import { recordInto } from '../../../codegen/mock/record.ts';
import type { Serving } from '../../../codegen/mock/serve.ts';
import type { JsonValue } from '../../../codegen/model/types.ts';
import { eventually } from '../../support/eventually.ts';
import { REPOSITORY } from '../support-back/workshop.ts';
import { mockOf, realParts, serveMock } from '../support-mock/serving.ts';
import type { Parts } from '../support-mock/serving.ts';

const IDENTITY = { name: 'test-client', version: '1.0.0' };

interface Result {
  readonly structuredContent?: { readonly [name: string]: JsonValue };
  readonly content?: readonly { readonly type: string; readonly text?: string }[];
  readonly isError?: boolean;
  readonly [name: string]: unknown;
}

/** The result of a request in the handshake era; fails on a JSON-RPC error. */
function ask(mock: Mock, method: string, params: { readonly [name: string]: JsonValue } = {}): Result {
  const { body } = mock.answer({ jsonrpc: '2.0', id: 1, method, params }, {});
  const told = body as { result?: Result; error?: unknown };
  assert.ok(told.result, JSON.stringify(told.error));
  return told.result;
}

function call(mock: Mock, name: string, args: { readonly [name: string]: JsonValue } = {}): Result {
  return ask(mock, 'tools/call', { name, arguments: args });
}

describe('the mock server', () => {
  let parts: Parts;
  let serving: Serving;
  const folder = mkdtempSync(join(tmpdir(), 'mock-'));
  before(async () => {
    parts = await realParts();
    serving = await serveMock(parts);
  });
  after(async () => {
    await serving.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('answers every example of every tool with a value of the published schema', () => {
    for (const form of ['compact', 'full'] as const) {
      for (const tool of parts.model.tools) {
        const ajv = new Ajv2020({ strict: false });
        addFormats.default(ajv);
        const validate = ajv.compile(parts.projection.tools.get(tool.name)?.outputSchema[form] ?? false);
        assert.ok(tool.examples.length > 0);
        for (const seed of ['a', 'b', 'c'])
          for (const { input } of tool.examples) {
            const answer = call(mockOf(parts, { seed }), tool.name, input as { [name: string]: JsonValue });
            assert.notEqual(answer.isError, true, JSON.stringify(answer));
            assert.ok(validate(answer.structuredContent), `${tool.name}: ${ajv.errorsText(validate.errors)}`);
            assert.equal(answer.content?.[0]?.text, JSON.stringify(answer.structuredContent));
          }
      }
    }
  });

  it('answers equal calls equally, and otherwise under another seed', () => {
    const once = JSON.stringify(call(mockOf(parts), 'list_datasets'));
    assert.equal(JSON.stringify(call(mockOf(parts), 'list_datasets')), once);
    assert.notEqual(JSON.stringify(call(mockOf(parts, { seed: 'other' }), 'list_datasets')), once);
  });

  it('makes texts that suit their names', () => {
    const { contents } = ask(mockOf(parts), 'resources/read', { uri: 'overmind://project/current' }) as unknown as {
      contents: { text: string }[];
    };
    const project = JSON.parse(contents[0]?.text ?? '') as { slug: string; console_url: string };
    assert.match(project.slug, /^[a-z-]+$/u);
    assert.ok(URL.canParse(project.console_url), project.console_url);
  });

  it('answers the errors a resource declares when asked for them, and no other', () => {
    const mock = mockOf(parts);
    const refusal = (code: string): string => {
      const params = { uri: 'overmind://datasets/refunds', _meta: { 'mcp-contract/error': code } };
      return JSON.stringify(mock.answer({ jsonrpc: '2.0', id: 1, method: 'resources/read', params }, {}).body);
    };
    assert.match(refusal('dataset_not_found'), /"code":-32002.*"code":"dataset_not_found"/u);
    assert.match(refusal('no_traces'), /does not declare that error.*dataset_not_found/u);
  });

  it('refuses arguments that the contract refuses', () => {
    const { isError, content } = call(mockOf(parts), 'list_datasets', { limit: 1000, typo: 1 });
    assert.equal(isError, true);
    const { error } = JSON.parse(content?.[0]?.text ?? '') as { error: { code: string; fields: object } };
    assert.equal(error.code, 'invalid_input');
    assert.deepEqual(Object.keys(error.fields).sort(), ['limit', 'typo']);
  });

  it('answers every error a tool declares when asked for it, and no other', () => {
    const mock = mockOf(parts);
    for (const { name, errors } of parts.model.tools)
      for (const code of errors) {
        const result = ask(mock, 'tools/call', { name, _meta: { 'mcp-contract/error': code } });
        assert.match(result.content?.[0]?.text ?? '', new RegExp(`"code":"${code}"`, 'u'));
      }
    const { body } = mock.answer(
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_datasets' } },
      { 'x-mock-error': 'dataset_invalid' },
    );
    assert.match(JSON.stringify(body), /does not declare that error/u);
  });

  it('walks a list to its end without a row twice', () => {
    const mock = mockOf(parts);
    const seen: string[] = [];
    let cursor: JsonValue | undefined;
    for (let pages = 0; pages < 10; pages += 1) {
      const args = cursor === undefined ? { limit: 20 } : { limit: 20, cursor };
      const { structuredContent } = call(mock, 'list_datasets', args);
      const { datasets, page } = structuredContent as {
        datasets: { id: string }[];
        page: { next_cursor: string | null };
      };
      seen.push(...datasets.map(({ id }) => id));
      if (page.next_cursor === null) break;
      cursor = page.next_cursor;
    }
    assert.equal(seen.length, 45);
    assert.equal(new Set(seen).size, 45);
    assert.equal(call(mock, 'list_datasets', { cursor: 'foreign' }).isError, true);
  });

  it('lets a job walk through its statuses as time passes', () => {
    let nowMs = Date.parse('2026-05-01T00:00:00Z');
    const mock = mockOf(parts, { now: () => new Date(nowMs) });
    const started = call(mock, 'create_dataset_from_traces', { name: 'refunds', search: 'refund' });
    assert.ok(started.structuredContent);
    const { kind, id, status } = started.structuredContent['job'] as { kind: string; id: string; status: string };
    const states = [status];
    const rows: number[] = [];
    for (let polls = 0; polls < 8; polls += 1) {
      const { structuredContent } = call(mock, 'get_job', { kind, id });
      const state = structuredContent as { status: string; final: boolean; progress: { rows: number } };
      if (states.at(-1) !== state.status) states.push(state.status);
      rows.push(state.progress.rows);
      if (state.final) break;
      nowMs += 1000;
    }
    assert.deepEqual(states, ['landing', 'diagnosing', 'running', 'idle']);
    assert.deepEqual(
      rows,
      rows.toSorted((left, right) => left - right),
    );
  });

  it('reads every resource and template, renders every prompt and completes what the contract bounds', () => {
    const mock = mockOf(parts);
    for (const { uri, uriTemplate, examples, name } of parts.model.resources) {
      const addresses =
        uri === undefined
          ? examples.map(({ variables }) =>
              (uriTemplate ?? '').replaceAll(/\{(\w+)\}/gu, (_, key: string) =>
                encodeURIComponent(variables[key] ?? ''),
              ),
            )
          : [uri];
      for (const address of addresses) {
        const { contents } = ask(mock, 'resources/read', { uri: address }) as unknown as {
          contents: { uri: string }[];
        };
        assert.equal(contents[0]?.uri, address, name);
      }
    }
    for (const { name, arguments: declared } of parts.model.prompts) {
      const args = Object.fromEntries(declared.map((one) => [one.name, 'a`b']));
      assert.doesNotMatch(JSON.stringify(ask(mock, 'prompts/get', { name, arguments: args })), /a`b/u);
      for (const one of declared) {
        if (one.completion === undefined) continue;
        const found = ask(mock, 'completion/complete', {
          ref: { type: 'ref/prompt', name },
          argument: { name: one.name, value: '' },
        }) as unknown as { completion: { values: string[] } };
        assert.ok(found.completion.values.length > 0);
      }
    }
  });

  it('is listed and called by the v1 client', async () => {
    const client = new ClientV1(IDENTITY);
    // because the SDK's transport types predate exactOptionalPropertyTypes
    await client.connect(new TransportV1(new URL(serving.url)) as Transport);
    const { tools } = await client.listTools();
    assert.equal(tools.length, parts.model.tools.length);
    const good = await client.callTool({ name: 'list_datasets', arguments: {} });
    assert.ok(good.structuredContent);
    const bad = await client.callTool({ name: 'list_datasets', arguments: { limit: 0 } });
    assert.equal(bad.isError, true);
    assert.ok((await client.listResourceTemplates()).resourceTemplates.length > 0);
    assert.ok((await client.listPrompts()).prompts.length > 0);
    await client.close();
  });

  const modes = { legacy: 'legacy', auto: 'auto', 'pinned to 2026-07-28': { pin: '2026-07-28' } } as const;
  for (const [name, mode] of Object.entries(modes)) {
    it(`is listed and called by the v2 client, ${name}`, async () => {
      const client = new ClientV2(IDENTITY, { versionNegotiation: { mode } });
      await client.connect(new TransportV2(new URL(serving.url)));
      const { tools } = await client.listTools();
      assert.equal(tools.length, parts.model.tools.length);
      assert.ok((await client.callTool({ name: 'list_datasets', arguments: {} })).structuredContent);
      const wanted = await client.callTool({
        name: 'list_datasets',
        arguments: {},
        _meta: { 'mcp-contract/error': 'invalid_filter' },
      });
      assert.equal(wanted.isError, true);
      assert.ok((await client.readResource({ uri: 'overmind://project/current' })).contents.length > 0);
      await client.close();
    });
  }

  it('keeps the header rules of 2026-07-28', async () => {
    const send = async (
      headers: Record<string, string>,
      version = '2026-07-28',
    ): Promise<[number, number | undefined]> => {
      const response = await fetch(serving.url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/list',
          params: {
            _meta: {
              'io.modelcontextprotocol/protocolVersion': version,
              'io.modelcontextprotocol/clientCapabilities': {},
            },
          },
        }),
      });
      const { error } = (await response.json()) as { error?: { code: number } };
      return [response.status, error?.code];
    };
    const version = { 'MCP-Protocol-Version': '2026-07-28' };
    assert.deepEqual(await send({ ...version, 'Mcp-Method': 'tools/list' }), [200, undefined]);
    assert.deepEqual(await send(version), [400, -32020]);
    assert.deepEqual(await send({ ...version, 'Mcp-Method': 'tools/call' }), [400, -32020]);
    assert.deepEqual(await send({}, '2030-01-01'), [400, -32022]);
    assert.equal((await fetch(serving.url)).status, 405);
    assert.equal(
      (await fetch(serving.url, { method: 'POST', headers: { Origin: 'https://a.test' }, body: '{}' })).status,
      403,
    );
    assert.equal((await fetch(serving.url, { method: 'POST', body: '{' })).status, 400);
  });

  it('records each call once, with what was answered', () => {
    const mock = mockOf(parts, { record: recordInto(folder) });
    call(mock, 'list_datasets', { limit: 2 });
    call(mock, 'list_datasets', { limit: 2 });
    call(mock, 'list_datasets', { limit: 0 });
    const files = readdirSync(join(folder, 'list_datasets')).sort();
    assert.equal(files.length, 2);
    assert.ok(files.some((file) => file.endsWith('.invalid_input.json')));
    const [good = ''] = files.filter((file) => !file.includes('invalid_input'));
    const fixture = JSON.parse(readFileSync(join(folder, 'list_datasets', good), 'utf8')) as { input: object };
    assert.deepEqual(fixture.input, { limit: 2 });
  });

  it('runs from the command line until it is stopped', async () => {
    let out = '';
    let code: number | undefined;
    const listening = new Promise<() => void>((resolve, reject) => {
      const io = { out: (text: string) => void (out += text), err: () => undefined, color: false, cwd: REPOSITORY };
      runCli(['mock', '--port', '0'], { ...io, onStop: resolve }).then((given) => void (code = given), reject);
    });
    const stop = await listening;
    const url = /http:\S+/u.exec(out)?.[0] ?? '';
    assert.equal((await fetch(url)).status, 405);
    stop();
    await eventually(() => assert.equal(code, 0));
    await assert.rejects(fetch(url));
  });
});
