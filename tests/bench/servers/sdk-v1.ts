// The way the SDK v1 documents for a stateless server: a new McpServer and transport for each request.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { answerCountRecords, answerReadRecords, catalogue, type ReadRecords } from '../catalogue.ts';
import { listen } from './listen.ts';
import { zodShape } from './zod-shape.ts';

const tools = catalogue(Number(process.env['TOOLS'])).map((tool) => ({
  ...tool,
  config: {
    title: tool.title,
    description: tool.description,
    inputSchema: zodShape(tool.input),
    outputSchema: zodShape(tool.output),
  },
}));
const result = (output: Record<string, unknown>) => ({
  content: [{ type: 'text' as const, text: JSON.stringify(output) }],
  structuredContent: output,
});

function makeServer(): McpServer {
  const server = new McpServer({ name: 'sdk-v1', version: '1.0.0' });
  for (const { name, config } of tools)
    server.registerTool(
      name,
      config as never,
      (async (args: unknown) =>
        result(name === 'read_records' ? answerReadRecords(args as ReadRecords) : answerCountRecords())) as never,
    );
  return server;
}

listen((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    void (async () => {
      const server = makeServer();
      const transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: undefined as never,
        enableJsonResponse: true,
      });
      response.on('close', () => void Promise.all([transport.close(), server.close()]));
      await server.connect(transport as never);
      await transport.handleRequest(request, response, JSON.parse(Buffer.concat(chunks).toString()));
    })();
  });
});
