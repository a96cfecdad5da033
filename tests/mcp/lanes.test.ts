import assert from 'node:assert/strict';
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  SERVER_INFO_META_KEY,
} from '@modelcontextprotocol/server';
import { FastLane, recognise } from '../../src/mcp/fast-lane.ts';
import {
  META_CLIENT_CAPABILITIES,
  META_CLIENT_INFO,
  META_PROTOCOL_VERSION,
  META_SERVER_INFO,
} from '../../src/mcp/protocol.ts';
import { message, send, type Answer, type RpcOptions } from './support/rpc.ts';
import { openRoom, StockRoom, type RunningRoom } from './support/stock-room.ts';

type Case = readonly [method: string, params: Record<string, unknown>, options?: RpcOptions];

const tool = (name: string, args?: unknown): Record<string, unknown> => ({
  name,
  ...(args === undefined ? {} : { arguments: args }),
});

/** Everything the fast lane may answer, good and bad, and what it must leave alone. */
const CORPUS: readonly Case[] = [
  ...['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'].flatMap((method): Case[] => [
    [method, {}],
    [method, {}, { key: 'key-account' }],
    [method, {}, { key: 'key-reader' }],
    [method, {}, { key: 'key-writer' }],
    [method, { cursor: 'zzz' }],
    [method, { cursor: '' }],
    [method, { cursor: 7 }],
    [method, { extra: true }],
  ]),
  ['ping', {}],
  ['ping', {}, { id: 'text id "quoted"' }],
  ['ping', {}, { id: 0 }],
  ['ping', {}, { id: -5 }],
  ['tools/call', tool('whoami')],
  ['tools/call', tool('whoami', {}), { id: 'ü\u2028' }],
  ['tools/call', tool('whoami', { project_id: 'project-c' }), { key: 'key-account' }],
  ['tools/call', tool('whoami', {}), { key: 'key-account' }],
  ['tools/call', tool('list_workspaces', {}), { key: 'key-account' }],
  ['tools/call', tool('get_item', { item: 'a' })],
  ['tools/call', tool('get_item', { item: 'ümläut 🎉' })],
  ['tools/call', tool('get_item', { item: 'dirty' })],
  ['tools/call', tool('get_item', { item: 'a', project_id: 'project-a' }), { key: 'key-account' }],
  ['tools/call', tool('get_item', { item: 'missing' })],
  ['tools/call', tool('find_item', { item: 'a' })],
  ['tools/call', tool('old_lookup', {})],
  ['tools/call', tool('ancient_lookup', {})],
  ['tools/call', tool('list_items', { limit: 'ten', zzz: 1 })],
  ['tools/call', tool('list_items', { limit: null, status: '' })],
  ['tools/call', tool('list_items', 'not an object')],
  ['tools/call', tool('list_items', null)],
  ['tools/call', tool('nope', {})],
  ['tools/call', { arguments: {} }],
  ['tools/call', { name: 7 }],
  ['tools/call', tool('create_item', { name: 'x' }), { key: 'key-reader' }],
  ['tools/call', tool('misbehave', { how: 'bad_output' })],
  ['tools/call', tool('misbehave', { how: 'secret_error' })],
  ['tools/call', tool('regional', { region: 'north' }), { headers: { 'mcp-param-region': 'north' } }],
  ['tools/call', tool('regional', { region: 'north' })],
  ['tools/call', tool('whoami', {}), { meta: { progressToken: 'p1' } }],
  ['tools/call', tool('whoami', {}), { meta: { 'vendor.example/thing': 1 } }],
  ['tools/call', tool('whoami', {}), { key: 'key-nobody' }],
  ['tools/call', tool('whoami', {}), { key: null }],
  ['resources/read', { uri: 'stock://help' }],
  ['resources/read', { uri: 'stock://items/a' }],
  ['resources/read', { uri: 'stock://items/a?project_id=project-a' }, { key: 'key-account' }],
  ['resources/read', { uri: 'stock://items/missing' }],
  ['resources/read', { uri: 'stock://items/%ZZ' }],
  ['resources/read', { uri: 'stock://nothing' }],
  ['resources/read', { uri: 7 }],
  ['prompts/get', { name: 'review-item', arguments: { item: 'a' } }],
  ['prompts/get', { name: 'review-item', arguments: { item: 7 } }],
  ['prompts/get', { name: 'review-item' }],
  ['prompts/get', { name: 'nope', arguments: {} }],
  ['completion/complete', { ref: { type: 'ref/prompt', name: 'review-item' }, argument: { name: 'item', value: '' } }],
  ['server/discover', {}],
  ['initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } }],
  ['no/such/method', {}],
];

/** What must be the same whichever lane answered: all but framing and time. */
function comparable({ status, headers, json }: Answer): unknown {
  const framing = new Set(['date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding']);
  return { status, headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !framing.has(name))), json };
}

describe('the two lanes', () => {
  let fast: RunningRoom;
  let slow: RunningRoom;
  before(async () => {
    const room = new StockRoom();
    room.items.set('a', { id: 'a', name: 'A' });
    room.items.set('ümläut 🎉', { id: 'ümläut 🎉', name: 'multi byte ✓' });
    room.items.set('dirty', { id: 'dirty', name: 'x\u202e\u{e0041}\u0007"\\' });
    fast = await openRoom({}, room);
    slow = await openRoom({ fastLane: false }, room);
  });
  after(async () => {
    await fast.close();
    await slow.close();
  });

  for (const era of ['legacy', 'modern'] as const) {
    it(`answer alike in the ${era} era`, async () => {
      for (const [method, params, options = {}] of CORPUS) {
        const headers = { 'x-request-id': 'the-same-id', ...options.headers };
        const request = message(method, params, { era, ...options, headers });
        const [left, right] = [await send(fast.port, request), await send(slow.port, request)];
        assert.deepEqual(
          comparable(left),
          comparable(right),
          `${method} ${JSON.stringify(params)} ${JSON.stringify(options)}`,
        );
      }
    });
  }

  it('take every plain hot request through the fast one', () => {
    for (const era of ['legacy', 'modern'] as const) {
      for (const [method, params] of [
        ['tools/list', {}],
        ['tools/call', tool('whoami', {})],
        ['resources/read', { uri: 'stock://help' }],
        ['prompts/get', { name: 'review-item', arguments: { item: 'a' } }],
      ] as const) {
        const { headers, body } = message(method, params, { era });
        assert.equal(recognise(JSON.parse(body), headers)?.era, era, method);
      }
    }
    assert.equal(typeof FastLane, 'function');
  });

  it('leave progress, tasks, rounds of input and everything unusual to the SDK', () => {
    const left: [string, Record<string, unknown>, RpcOptions][] = [
      ['tools/call', tool('whoami', {}), { meta: { progressToken: 1 } }],
      ['tools/call', { ...tool('whoami', {}), task: { ttl: 1 } }, {}],
      ['tools/call', { ...tool('whoami', {}), inputResponses: {} }, { era: 'modern' }],
      ['tools/call', { ...tool('whoami', {}), requestState: 'x' }, { era: 'modern' }],
      ['tools/list', {}, { era: 'modern', meta: { 'io.modelcontextprotocol/logLevel': 'info' } }],
      ['initialize', {}, {}],
      ['ping', {}, { era: 'modern' }],
    ];
    for (const [method, params, options] of left) {
      const { headers, body } = message(method, params, options);
      assert.equal(recognise(JSON.parse(body), headers), undefined, `${method} ${JSON.stringify(options)}`);
    }
  });

  it('agree with the SDK on the names of the envelope', () => {
    assert.deepEqual(
      [META_PROTOCOL_VERSION, META_CLIENT_CAPABILITIES, META_CLIENT_INFO, META_SERVER_INFO],
      [PROTOCOL_VERSION_META_KEY, CLIENT_CAPABILITIES_META_KEY, CLIENT_INFO_META_KEY, SERVER_INFO_META_KEY],
    );
  });
});
