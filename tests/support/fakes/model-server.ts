import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a request to the fake said. */
export interface ModelQuestion {
  readonly headers: IncomingMessage['headers'];
  readonly body: {
    readonly model: string;
    readonly messages: readonly {
      readonly role: string;
      readonly content: string | null;
      readonly tool_call_id?: string;
      readonly tool_calls?: readonly {
        readonly id: string;
        readonly function: { readonly name: string; readonly arguments: string };
      }[];
    }[];
    readonly tools?: readonly { readonly function: { readonly name: string; readonly parameters: object } }[];
    readonly max_completion_tokens?: number;
  };
}

/** One answer: what to do with the response. */
export type ModelAnswer = (response: ServerResponse, question: ModelQuestion) => void | Promise<void>;

/** A server on this machine that speaks the wire format of OpenAI's chat completions, as well or as badly as told. */
export class ModelServer {
  readonly questions: ModelQuestion[] = [];
  readonly #server: Server;
  #script: (question: ModelQuestion, index: number) => ModelAnswer | undefined = () => undefined;

  private constructor(server: Server) {
    this.#server = server;
    server.on('request', (request, response) => void this.#serve(request, response));
  }

  static async start(): Promise<ModelServer> {
    const server = createServer();
    const fake = new ModelServer(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return fake;
  }

  get url(): string {
    // because a listening TCP server has an address of this kind
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}/v1`;
  }

  /** These answers in turn, from now on; a question too many is answered with an error. */
  will(...answers: readonly ModelAnswer[]): void {
    const left = [...answers];
    this.#script = () => left.shift();
  }

  /** An answer made for each question. */
  willAlways(script: (question: ModelQuestion, index: number) => ModelAnswer): void {
    this.#script = script;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const question: ModelQuestion = { headers: request.headers, body: JSON.parse(text) };
    this.questions.push(question);
    const answer = this.#script(question, this.questions.length - 1) ?? status(418);
    await answer(response, question);
  }
}

export interface FunctionCall {
  readonly name: string;
  /** An object, or text that goes out as it is. */
  readonly args: object | string;
}

const USAGE = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };

/** A text as the whole answer. */
export function says(
  text: string,
  more: { readonly finish?: string; readonly usage?: object | null } = {},
): ModelAnswer {
  return completion({ content: text }, more);
}

/** A wish to have functions called. */
export function calls(...wanted: readonly FunctionCall[]): ModelAnswer {
  const tool_calls = wanted.map(({ name, args }, index) => ({
    id: `wanted_${index}`,
    type: 'function',
    function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
  }));
  return completion({ content: null, tool_calls }, { finish: 'tool_calls' });
}

export function refuses(text: string): ModelAnswer {
  return completion({ content: null, refusal: text }, {});
}

/** Any message in a well-formed completion. */
export function completion(
  message: object,
  { finish = 'stop', usage = USAGE }: { readonly finish?: string; readonly usage?: object | null },
): ModelAnswer {
  return json({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    model: 'fake',
    choices: [{ index: 0, finish_reason: finish, message: { role: 'assistant', ...message } }],
    ...(usage !== null && { usage }),
  });
}

export function json(body: unknown): ModelAnswer {
  return raw(JSON.stringify(body), 'application/json');
}

/** Any body under any content type. */
export function raw(body: string, contentType: string): ModelAnswer {
  return (response) => {
    response.writeHead(200, { 'content-type': contentType });
    response.end(body);
  };
}

export function status(
  code: number,
  headers: Readonly<Record<string, string>> = {},
  body = '{"error":{"message":"no"}}',
): ModelAnswer {
  return (response) => {
    response.writeHead(code, { 'content-type': 'application/json', ...headers });
    response.end(body);
  };
}

/** Takes the request and never answers. */
export const hangs: ModelAnswer = () => undefined;

/** Begins an answer and sends no more of it. */
export const stalls: ModelAnswer = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"choices":[{"message":');
};

/** Begins an answer and goes on with a space now and then, as long as somebody reads. */
export const trickles: ModelAnswer = (response, question) => {
  void stalls(response, question);
  const timer = setInterval(() => response.write(' '), 20);
  response.once('close', () => clearInterval(timer));
};

/** Breaks the connection in the middle of the answer. */
export const breaksOff: ModelAnswer = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '5000' });
  response.write('{"choices":[{"message":', () => response.destroy());
};

/** An answer of this many bytes that never was asked for. */
export function floods(bytes: number): ModelAnswer {
  return (response) => {
    const piece = 'x'.repeat(64 * 1024);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.on('error', () => undefined);
    for (let sent = 0; sent < bytes; sent += piece.length) response.write(piece);
    response.end();
  };
}
