// The way the SDK v2 documents: createMcpHandler with a factory, on the 2026-07-28 wire.
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { answerCountRecords, answerReadRecords, catalogue, type ReadRecords } from '../catalogue.ts';
import { listen } from './listen.ts';
import { zodShape } from './zod-shape.ts';

const tools = catalogue(Number(process.env['TOOLS'])).map((tool) => ({
  name: tool.name,
  config: {
    title: tool.title,
    description: tool.description,
    inputSchema: z.object(zodShape(tool.input)).strict(),
    outputSchema: z.object(zodShape(tool.output)).strict(),
  },
}));
const result = (output: Record<string, unknown>) => ({
  content: [{ type: 'text' as const, text: JSON.stringify(output) }],
  structuredContent: output,
});

const handle = toNodeHandler(
  createMcpHandler(() => {
    const server = new McpServer({ name: 'sdk-v2', version: '1.0.0' });
    for (const { name, config } of tools)
      server.registerTool(
        name,
        config as never,
        (async (args: unknown) =>
          result(name === 'read_records' ? answerReadRecords(args as ReadRecords) : answerCountRecords())) as never,
      );
    return server;
  }),
);
// because the handler asks for an exact optional type that the node message only loosely has
listen((request, response) => void handle(request as never, response));
