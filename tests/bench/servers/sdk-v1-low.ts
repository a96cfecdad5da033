// SDK v1 used sparingly: the low-level Server for each request, with validators compiled once.
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema, McpError } from '@modelcontextprotocol/sdk/types.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { answerCountRecords, answerReadRecords, catalogue, type ReadRecords } from '../catalogue.ts';
import { listen } from './listen.ts';

const ajv = new Ajv2020({ allErrors: true });
const tools = catalogue(Number(process.env['TOOLS']));
const published = tools.map(({ name, title, description, input }) => ({
  name,
  title,
  description,
  inputSchema: input as { type: 'object' },
}));
const validators = new Map(
  tools.map((tool) => [tool.name, { input: ajv.compile(tool.input), output: ajv.compile(tool.output) }]),
);

function makeServer(): Server {
  const server = new Server({ name: 'sdk-v1-low', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: published }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
    const validate = validators.get(params.name);
    if (!validate) throw new McpError(-32602, 'Unknown tool');
    if (!validate.input(params.arguments))
      return { isError: true, content: [{ type: 'text', text: ajv.errorsText(validate.input.errors) }] };
    const output: Record<string, unknown> =
      params.name === 'read_records'
        ? answerReadRecords(params.arguments as unknown as ReadRecords)
        : answerCountRecords();
    if (!validate.output(output)) throw new McpError(-32603, 'Bad output');
    return { content: [{ type: 'text', text: JSON.stringify(output) }], structuredContent: output };
  });
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
