import * as modern from '@modelcontextprotocol/client';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLane, runToEnd } from '../conformance/lane.ts';

export interface Asked {
  readonly url: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** What a client heard: the names it was listed and the result of one call. */
export interface Heard {
  readonly tools: readonly string[];
  readonly result: unknown;
}

export async function byLegacyClient({ url, tool, args }: Asked): Promise<Heard> {
  const client = new LegacyClient({ name: 'walk', version: '1' });
  // because the SDK's transport types predate exactOptionalPropertyTypes
  await client.connect(new LegacyTransport(new URL(url)) as Transport);
  try {
    const { tools } = await client.listTools();
    const { structuredContent } = await client.callTool({ name: tool, arguments: { ...args } });
    return { tools: tools.map(({ name }) => name), result: structuredContent };
  } finally {
    await client.close();
  }
}

export async function byModernClient({ url, tool, args }: Asked): Promise<Heard> {
  const client = new modern.Client(
    { name: 'walk', version: '1' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  await client.connect(new modern.StreamableHTTPClientTransport(new URL(url)));
  try {
    const { tools } = await client.listTools();
    const { structuredContent } = await client.callTool({ name: tool, arguments: { ...args } });
    return { tools: tools.map(({ name }) => name), result: structuredContent };
  } finally {
    await client.close();
  }
}

/** The official Inspector, which needs a newer Node: it lists strictly and calls the tool. Answers what it printed. */
export async function byInspector({ url, tool, args }: Asked): Promise<string> {
  const lane = await openLane();
  const folder = await mkdtemp(join(tmpdir(), 'mcp-inspector-'));
  try {
    const config = join(folder, 'servers.json');
    const entry = { type: 'streamable-http', url, protocolEra: 'auto' };
    await writeFile(config, JSON.stringify({ mcpServers: { project: entry } }));
    const base = [lane.inspector, '--cli', '--config', config, '--server', 'project', '--method'];
    const list = await runToEnd(lane.node, [...base, 'tools/list', '--strict'], 60_000);
    const given = Object.entries(args).flatMap(([name, value]) => ['--tool-arg', `${name}=${String(value)}`]);
    const call = await runToEnd(lane.node, [...base, 'tools/call', '--tool-name', tool, ...given], 60_000);
    if (list.code !== 0 || call.code !== 0) throw new Error(`${list.output}\n${call.output}`);
    return `${list.output}\n${call.output}`;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
