import assert from 'node:assert/strict';
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { openRoom, type RunningRoom } from './support/stock-room.ts';

const IDENTITY = { name: 'test-client', version: '1.0.0' };
const AUTHORIZED = { requestInit: { headers: { Authorization: 'Bearer key-project-a' } } };

describe('official clients', () => {
  for (const fastLane of [true, false]) {
    describe(`with the fast lane ${fastLane ? 'on' : 'off'}`, () => {
      let open: RunningRoom;
      before(async () => {
        open = await openRoom({ fastLane });
        open.room.items.set('a', { id: 'a', name: 'A' });
      });
      after(() => open.close());

      it('v1: lists, calls, reads and survives an error of a tool whose output schema it has cached', async () => {
        const client = new ClientV1(IDENTITY);
        // because the SDK's transport types predate exactOptionalPropertyTypes
        await client.connect(new TransportV1(new URL(open.url), AUTHORIZED) as Transport);
        const { tools } = await client.listTools();
        assert.ok(tools.some((tool) => tool.name === 'get_item' && tool.outputSchema !== undefined));
        const good = await client.callTool({ name: 'get_item', arguments: { item: 'a' } });
        assert.ok(good.structuredContent);
        const bad = await client.callTool({ name: 'get_item', arguments: { item: 'missing' } });
        assert.equal(bad.isError, true);
        const { contents } = await client.readResource({ uri: 'stock://items/a' });
        assert.equal(contents[0]?.uri, 'stock://items/a');
        await client.close();
      });

      const modes = { legacy: 'legacy', auto: 'auto', 'pinned to 2026-07-28': { pin: '2026-07-28' } } as const;
      for (const [name, mode] of Object.entries(modes)) {
        it(`v2, ${name}: lists, calls and reads`, async () => {
          const client = new ClientV2(IDENTITY, { versionNegotiation: { mode } });
          await client.connect(new TransportV2(new URL(`${open.url}/`), AUTHORIZED));
          const { tools } = await client.listTools();
          assert.ok(tools.length > 5);
          const good = await client.callTool({ name: 'get_item', arguments: { item: 'a' } });
          assert.ok(good.structuredContent);
          const bad = await client.callTool({ name: 'get_item', arguments: { item: 'missing' } });
          assert.equal(bad.isError, true);
          const prompt = await client.getPrompt({ name: 'review-item', arguments: { item: 'a' } });
          assert.equal(prompt.messages.length, 1);
          await client.close();
        });
      }
    });
  }
});
