// The physical limit: node:http that reads and parses the request and answers bytes made at start.
import { answerReadRecords, CALL, catalogue } from '../catalogue.ts';
import { listen } from './listen.ts';

const definitions = catalogue(Number(process.env['TOOLS'])).map(({ name, title, description, input }) => ({
  name,
  title,
  description,
  inputSchema: input,
}));
const envelope = (result: unknown): Buffer => Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, result }));
const output = answerReadRecords(CALL);
const answers: Readonly<Record<string, Buffer>> = {
  list: envelope({ tools: definitions }),
  call: envelope({ content: [{ type: 'text', text: JSON.stringify(output) }], structuredContent: output }),
  refused: envelope({
    isError: true,
    content: [
      {
        type: 'text',
        text: JSON.stringify({
          error: {
            code: 'invalid_input',
            message: 'life, limit and where.keeper are wrong.',
            retryable: false,
            fields: {
              life: 'must be one of the allowed values',
              limit: 'must be at most 100',
              'where.keeper': 'is required',
            },
          },
        }),
      },
    ],
  }),
};

listen((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const message = JSON.parse(
      (chunks.length === 1 ? (chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(chunks)).toString(),
    ) as { method: string; params?: { arguments?: { life?: string } } };
    const bytes =
      answers[
        message.method === 'tools/list' ? 'list' : message.params?.arguments?.life === 'sleeping' ? 'refused' : 'call'
      ] ?? Buffer.alloc(0);
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length });
    response.end(bytes);
  });
});
