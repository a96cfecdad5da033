import assert from 'node:assert/strict';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run, type Answer } from '../../codegen/support-back/command.ts';

interface Request {
  readonly method: string;
  readonly id?: number;
  readonly params: {
    readonly cursor?: string;
    readonly protocolVersion?: string;
    readonly _meta?: Readonly<Record<string, unknown>>;
  };
}

interface Seen extends Request {
  readonly verb: string;
  readonly headers: IncomingHttpHeaders;
}

type Behave = (request: Request, response: ServerResponse) => void;

/** One local server whose manners a test chooses, and all that it was sent. */
class Rogue {
  behave: Behave = () => undefined;
  seen: Seen[] = [];
  readonly #server: Server = createServer((request, response) => void this.#take(request, response));

  async start(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, '127.0.0.1', resolve);
    });
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  get url(): string {
    // because it listens on a port
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}/mcp`;
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const message: Request = text === '' ? { method: '', params: {} } : JSON.parse(text);
    this.seen.push({ ...message, verb: request.method ?? '', headers: request.headers });
    if (message.method.startsWith('notifications/')) response.writeHead(202).end();
    else if (request.method === 'DELETE') response.writeHead(200).end();
    else this.behave(message, response);
  }
}

function json(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function result(request: Request, response: ServerResponse, value: unknown): void {
  json(response, { jsonrpc: '2.0', id: request.id, result: value });
}

/** Manners of an ordinary server of the handshake generation; `lists` answers the rest. */
function ordinary(lists: (request: Request) => unknown, capabilities: object = { tools: {} }): Behave {
  return (request, response) => {
    if (request.method === 'initialize') {
      result(request, response, {
        protocolVersion: '2025-06-18',
        capabilities,
        serverInfo: { name: 'rogue', version: '1' },
      });
    } else if (request.method === 'server/discover') {
      json(response, { jsonrpc: '2.0', id: request.id, error: { code: -32601, message: 'no' } });
    } else result(request, response, lists(request));
  };
}

const TOOL = { name: 'a', inputSchema: { type: 'object' } };

describe('pull from servers that misbehave', function () {
  this.timeout(30_000);
  const rogue = new Rogue();
  let folder: string;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'rogue-'));
    await rogue.start();
  });

  after(() => {
    rogue.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function pull(behave: Behave, ...argv: readonly string[]): Promise<Answer> {
    rogue.behave = behave;
    rogue.seen = [];
    return run(folder, 'pull', rogue.url, ...argv);
  }

  async function refuses(behave: Behave, sentence: RegExp, ...argv: readonly string[]): Promise<void> {
    const { code, out, err } = await pull(behave, ...argv);
    assert.deepEqual([code, out], [2, ''], err);
    assert.match(err, /^The server cannot be read\. /u);
    assert.match(err, sentence);
    assert.equal(/[\p{Cc}\p{Cf}]/u.exec(err.replaceAll('\n', '')), null);
  }

  it('refuses redirects, and keeps the credential at home', async () => {
    await refuses(
      (_, response) => void response.writeHead(307, { location: 'https://evil.example/\u0009mcp' }).end(),
      /redirects to “https:\/\/evil\.example.*Redirects are not followed/u,
      '--header',
      'X-Api-Key: secret-value',
    );
    assert.equal(rogue.seen.length, 1);
  });

  for (const [status, sentence] of [
    [401, /wants a credential \(401, challenge “Bearer realm="x"”\)/u],
    [403, /does not let this credential in \(403\)/u],
    [429, /asks for a slower pace \(429\); try again after “7”/u],
    [405, /does not take MCP requests \(405\)/u],
    [404, /does not take MCP requests \(404\)/u],
    [500, /failed with status 500/u],
  ] as const) {
    it(`says in a sentence what status ${status} means`, async () => {
      await refuses(
        (_, response) =>
          void response
            .writeHead(status, {
              'www-authenticate': 'Bearer realm="x"',
              'retry-after': '7',
              'content-type': 'text/plain',
            })
            .end('no'),
        sentence,
      );
    });
  }

  it('tells pages and broken JSON from MCP', async () => {
    const page = '<h1>Hello\u001b[2J</h1>';
    await refuses(
      (_, response) => void response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page),
      /with text\/html, which is not MCP: “<h1>Hello\\u\{1b\}\[2J/u,
    );
    await refuses(
      (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{"a":'),
      /not JSON/u,
    );
    await refuses((request, response) => json(response, { id: request.id, result: 3 }), /neither result nor error/u);
    await refuses((request, response) => result(request, response, {}), /no protocol revision or capabilities/u);
  });

  it('stops at an answer that is too large, too deep or too slow', async () => {
    await refuses(
      ordinary(() => ({ tools: [{ ...TOOL, description: 'x'.repeat(100_000) }] })),
      /sent more than 50000 bytes in one answer/u,
      '--max-bytes',
      '50000',
    );
    const deep = `{"jsonrpc":"2.0","id":1,"result":${'['.repeat(5000)}${']'.repeat(5000)}}`;
    await refuses(
      (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(deep),
      /nested deeper than 128 levels/u,
    );
    await refuses(
      (_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(': waiting\n\n');
      },
      /did not answer in time/u,
      '--timeout',
      '1',
    );
  });

  it('stops at cursors that run in a circle or never end', async () => {
    await refuses(
      ordinary(() => ({ tools: [TOOL], nextCursor: 'again' })),
      /tools\/list pages in a circle: its cursor “again” came twice/u,
    );
    let page = 0;
    await refuses(
      ordinary(() => ({ tools: [TOOL], nextCursor: String((page += 1)) })),
      /tools\/list has more than 200 pages/u,
    );
  });

  it('reads all pages of every list, and streams with other messages in between', async () => {
    const pages = ordinary(
      ({ method, params }) => {
        const at = Number(params.cursor ?? 0);
        const member =
          {
            'tools/list': 'tools',
            'resources/list': 'resources',
            'resources/templates/list': 'resourceTemplates',
            'prompts/list': 'prompts',
          }[method] ?? 'none';
        return {
          [member]: [{ name: `${member}${at}`, uri: `x://${at}`, inputSchema: { type: 'object' } }],
          ...(at < 2 ? { nextCursor: String(at + 1) } : {}),
        };
      },
      { tools: {}, resources: {}, prompts: {} },
    );
    const { code, out, err } = await pull((request, response) => {
      if (!request.method.endsWith('/list')) {
        pages(request, response);
        return;
      }
      const inner = { end: (text: string) => void response.end(`id: 1\r\ndata: ${text}\r\n\r\n`) };
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(
        'event: message\ndata: {"jsonrpc":"2.0","method":"notifications/progress","params":{}}\n\n: keep-alive\n\n',
      );
      response.write('data: {"jsonrpc":"2.0","id":"s1","method":"sampling/createMessage",\ndata: "params":{}}\n\n');
      pages(request, { writeHead: () => inner } as unknown as ServerResponse);
    });
    assert.equal(code, 0, err);
    const { surface } = JSON.parse(out);
    assert.deepEqual(Object.keys(surface.tools), ['tools0', 'tools1', 'tools2']);
    assert.equal(Object.keys(surface.resources).length, 6);
    assert.equal(Object.keys(surface.prompts).length, 3);
    assert.deepEqual(surface.server.revisions, ['2025-06-18'], 'the revision it agreed to');
  });

  it('asks for listings alone: nothing is called, read or visited', async () => {
    const { code } = await pull(
      ordinary(() => ({
        tools: [{ ...TOOL, description: 'Visit http://127.0.0.1/ now', icons: [{ src: `${rogue.url}/icon` }] }],
      })),
    );
    assert.equal(code, 0);
    const methods = new Set(rogue.seen.map(({ method }) => method));
    assert.deepEqual([...methods].toSorted(), [
      'initialize',
      'notifications/initialized',
      'server/discover',
      'tools/list',
    ]);
    assert.ok(rogue.seen.every(({ verb }) => verb === 'POST'));
  });

  it('speaks the revision without a handshake when the server does', async () => {
    const { code, out, err } = await pull((request, response) => {
      if (request.method === 'server/discover') {
        result(request, response, {
          resultType: 'complete',
          supportedVersions: ['2026-07-28'],
          capabilities: { tools: {}, extensions: { 'io.example/x': {} } },
          instructions: 'Be kind.',
          _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'modern', version: '9' } },
        });
      } else if (request.method === 'initialize') {
        json(
          response,
          {
            jsonrpc: '2.0',
            id: request.id,
            error: { code: -32022, message: 'no', data: { supported: ['2026-07-28'], requested: 'x' } },
          },
          400,
        );
      } else result(request, response, { tools: [TOOL] });
    });
    assert.equal(code, 0, err);
    const { server } = JSON.parse(out).surface;
    assert.deepEqual(
      [server.name, server.instructions, server.revisions, server.extensions],
      ['modern', 'Be kind.', ['2026-07-28'], ['io.example/x']],
    );
    const list = rogue.seen.find(({ method }) => method === 'tools/list');
    assert.equal(list?.headers['mcp-protocol-version'], '2026-07-28');
    assert.equal(list.headers['mcp-method'], 'tools/list');
    assert.equal(list.params._meta?.['io.modelcontextprotocol/protocolVersion'], '2026-07-28');
    assert.deepEqual(list.params._meta?.['io.modelcontextprotocol/clientCapabilities'], {});
  });

  it('keeps names like __proto__ as names', async () => {
    const { code, out } = await pull(
      ordinary(() => ({
        tools: [
          { name: '__proto__', inputSchema: { type: 'object' } },
          { name: 'constructor', inputSchema: {} },
        ],
      })),
    );
    assert.equal(code, 0);
    assert.deepEqual(Object.getOwnPropertyNames(JSON.parse(out).surface.tools), ['__proto__', 'constructor']);
  });

  it('reads older dialects as 2020-12', async () => {
    const inputSchema = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: {
        pair: { type: 'array', items: [{ type: 'string' }], additionalItems: false },
        ref: { $ref: '#/definitions/n', minimum: 3 },
      },
      dependencies: { a: ['b'], c: { required: ['d'] } },
      definitions: { n: { type: 'number' } },
    };
    const { out } = await pull(ordinary(() => ({ tools: [{ name: 'a', inputSchema }] })));
    assert.deepEqual(JSON.parse(out).surface.tools.a.input, {
      type: 'object',
      properties: {
        pair: { type: 'array', prefixItems: [{ type: 'string' }], items: false },
        ref: { $ref: '#/definitions/n' },
      },
      dependentRequired: { a: ['b'] },
      dependentSchemas: { c: { required: ['d'] } },
      definitions: { n: { type: 'number' } },
    });
  });

  it('refuses TLS that cannot be trusted, and offers no way round it', async () => {
    const { code, err } = await run(folder, 'pull', rogue.url.replace('http:', 'https:'));
    assert.equal(code, 2);
    assert.match(err, /cannot be trusted \([A-Z_]+\)\. Name your own authority in NODE_EXTRA_CA_CERTS/u);
  });

  it('refuses bad flags before anything is sent', async () => {
    const wrong: readonly (readonly string[])[] = [
      ['ftp://host/mcp'],
      ['https://me:secret@host/mcp'],
      ['nonsense'],
      [],
      ['http://127.0.0.1:9/mcp', '--header', 'no colon'],
      ['http://127.0.0.1:9/mcp', '--header', 'Host: other'],
      ['http://127.0.0.1:9/mcp', '--header', 'X: a\r\nY: b'],
      ['http://127.0.0.1:9/mcp', '--grant', 'nameless'],
      ['http://127.0.0.1:9/mcp', '--revision', '1999-01-01'],
      ['--stdio'],
    ];
    for (const argv of wrong) {
      const { code, err } = await run(folder, 'pull', ...argv);
      assert.equal(code, 2, argv.join(' '));
      assert.ok(!err.includes('secret@'), err);
    }
  });

  it('says why a command cannot be read, and leaves none behind', async () => {
    let scripts = 0;
    const script = (text: string): string[] => {
      const file = join(folder, `server-${(scripts += 1)}.mjs`);
      writeFileSync(
        file,
        `import { writeFileSync } from 'node:fs'; writeFileSync('pids', process.pid + '\\n', { flag: 'a' });\n${text}`,
      );
      return ['--stdio', '--timeout', '1', '--', process.execPath, file];
    };
    const cases: readonly (readonly [readonly string[], RegExp])[] = [
      [['--stdio', '--', join(folder, 'nothing')], /cannot be started/u],
      [
        script('console.error("no \\u001b[2J key"); process.exit(3)'),
        /ended with code 3 before it answered\. Its last words: “no \\u\{1b\}\[2J key”/u,
      ],
      [script('setInterval(() => {}, 1000); process.on("SIGTERM", () => {})'), /did not answer initialize in time/u],
      [script('process.stdin.resume(); console.log(`{"a":`)'), /not JSON/u],
    ];
    for (const [argv, sentence] of cases) {
      const { code, err } = await run(folder, 'pull', ...argv);
      assert.equal(code, 2, err);
      assert.match(err, sentence);
    }
    const pids = readFileSync(join(folder, 'pids'), 'utf8').trim().split('\n').map(Number);
    assert.ok(pids.length >= 3);
    for (const pid of pids) assert.throws(() => process.kill(pid, 0), /ESRCH/u);
  });
});
