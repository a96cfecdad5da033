// What an agent does with Overmind, end to end and for real: traces in, failures found, a dataset made and queried.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { setTimeout as wait } from 'node:timers/promises';
import { sendTraffic, type Encoding } from './agent-traffic.ts';
import { startServer } from './server.ts';

type Answer = Record<string, unknown>;

const colour = process.stdout.isTTY && !process.env['NO_COLOR'];
const bold = (text: string): string => (colour ? `\u001B[1m${text}\u001B[0m` : text);
const faint = (text: string): string => (colour ? `\u001B[2m${text}\u001B[0m` : text);
const say = (text = ''): void => void process.stdout.write(`${text}\n`);

function show(answer: unknown, lines = 14): void {
  const all = JSON.stringify(answer, null, 2).split('\n');
  say(
    faint(
      all
        .slice(0, lines)
        .map((line) => `    ${line}`)
        .join('\n'),
    ),
  );
  if (all.length > lines) say(faint(`    … ${String(all.length - lines)} more lines`));
}

class Agent {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  async call(tool: string, args: Answer): Promise<Answer> {
    say(`${bold(`→ ${tool}`)} ${JSON.stringify(args)}`);
    const result = await this.#client.callTool({ name: tool, arguments: args });
    const text = (result.content as { type: string; text: string }[])[0]?.text ?? '{}';
    const answer = JSON.parse(text) as Answer;
    if (result.isError) throw new Error(`${tool} failed: ${text}`);
    if (JSON.stringify(result.structuredContent) !== JSON.stringify(answer))
      throw new Error(`${tool}: text and structured content differ`);
    return answer;
  }

  async read(uri: string): Promise<Answer> {
    say(`${bold('→ resources/read')} ${uri}`);
    const { contents } = await this.#client.readResource({ uri });
    return JSON.parse((contents[0] as { text: string }).text) as Answer;
  }
}

const server = await startServer();
try {
  say(bold(`Overmind serves at ${server.url}`));
  for (const encoding of ['JSON', 'protobuf'] satisfies Encoding[]) {
    const sent = await sendTraffic(server.origin, server.key, encoding);
    say(`A support agent handled ${String(sent)} tickets; its OpenTelemetry SDK exported them as ${encoding}.`);
  }

  const client = new Client({ name: 'overmind-demo', version: '1.0.0' });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(server.url), {
      requestInit: { headers: { 'x-api-key': server.key } },
    }) as never,
  );
  const { tools } = await client.listTools();
  say(
    `\nAn agent connects with the project's key and sees ${String(tools.length)} tools: ${tools.map(({ name }) => name).join(', ')}.\n`,
  );

  const agent = new Agent(client);
  show(await agent.call('inspect_capability_health', { capability: 'support-triage', days: 7 }));
  const failures = (await agent.call('query_failures', { capability: 'support-triage' })) as {
    n: number;
    failures: { trace_id: string }[];
  };
  show(failures);
  if (failures.n !== 4) throw new Error(`expected the four failed tickets, found ${String(failures.n)}`);

  const made = (await agent.call('create_dataset_from_traces', {
    name: 'refund failures',
    trace_ids: failures.failures.map(({ trace_id }) => trace_id),
  })) as { job: { kind: string; id: string }; dataset: { id: string; resource: { uri: string } } };
  show(made, 8);

  for (;;) {
    const job = (await agent.call('get_job', { kind: made.job.kind, id: made.job.id })) as {
      status: string;
      final: boolean;
      job_error?: string;
    };
    say(faint(`    ${job.status}`));
    if (job.final && job.status !== 'idle') throw new Error(`the dataset did not land: ${job.job_error ?? job.status}`);
    if (job.final) break;
    await wait(500);
  }
  const rows = (await agent.call('query_dataset', {
    dataset: 'refund failures',
    sql: 'SELECT count(*) AS n FROM t',
  })) as { rows: { n: number }[] };
  show(rows);
  if (rows.rows[0]?.n !== 4) throw new Error('the dataset does not hold the four traces');
  show(await agent.read(made.dataset.resource.uri), 20);
  await client.close();
  say(bold('\nDone: every answer above came from the running server.'));
} finally {
  await server.stop();
}
