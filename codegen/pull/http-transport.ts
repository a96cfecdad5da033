import { readJson, answerTo, quote, type Answer } from './message.ts';
import { connectionRefusal, statusRefusal } from './http-fault.ts';
import type { Limits } from './limits.ts';
import { Refusal } from './refusal.ts';
import { EventReader } from './sse.ts';
import type { Ask, Headers, Transport } from './transport.ts';

const ACCEPT = 'application/json, text/event-stream';
const SESSION = 'mcp-session-id';

/** MCP over HTTP: one POST per message, an answer as JSON or as a stream of events, no redirect ever followed. */
export class HttpTransport implements Transport {
  readonly #url: URL;
  readonly #headers: Headers;
  readonly #limits: Limits;
  readonly #deadline: AbortSignal;
  #answer: AbortSignal | undefined;
  readonly #place: string;
  #session: string | undefined;
  #last = 0;
  #bytes = 0;

  constructor({ url, headers, limits }: { readonly url: URL; readonly headers: Headers; readonly limits: Limits }) {
    this.#url = url;
    this.#headers = headers;
    this.#limits = limits;
    this.#deadline = AbortSignal.timeout(limits.totalMs);
    this.#place = url.href;
  }

  async ask({ method, params, headers, timeoutMs }: Ask): Promise<Answer> {
    const id = (this.#last += 1);
    const signal = this.#within(timeoutMs ?? this.#limits.answerMs);
    try {
      const response = await this.#post(JSON.stringify({ jsonrpc: '2.0', id, method, params }), headers, signal);
      const refusal = statusRefusal(response, this.#place);
      if (refusal !== undefined) {
        await response.body?.cancel();
        throw refusal;
      }
      this.#session ??= response.headers.get(SESSION) ?? undefined;
      return await this.#read(response, id);
    } catch (error) {
      throw connectionRefusal(error, this.#place);
    }
  }

  async tell({ method, params, headers }: Omit<Ask, 'timeoutMs'>): Promise<void> {
    const signal = this.#within(this.#limits.answerMs);
    try {
      const response = await this.#post(JSON.stringify({ jsonrpc: '2.0', method, params }), headers, signal);
      await response.body?.cancel();
    } catch (error) {
      throw connectionRefusal(error, this.#place);
    }
  }

  /** Ends the session of servers that keep one; whether they agree does not matter. */
  async close(): Promise<void> {
    if (this.#session === undefined) return;
    const ending = fetch(this.#url, {
      method: 'DELETE',
      headers: { ...this.#headers, [SESSION]: this.#session },
      redirect: 'manual',
      signal: AbortSignal.timeout(2000),
    });
    await ending.then(
      (response) => response.body?.cancel(),
      () => undefined,
    );
  }

  /** `any` holds its sources weakly, so a timeout is held here: nobody else would keep it from being collected. */
  #within(ms: number): AbortSignal {
    this.#answer = AbortSignal.timeout(ms);
    return AbortSignal.any([this.#deadline, this.#answer]);
  }

  #post(body: string, headers: Headers, signal: AbortSignal): Promise<Response> {
    return fetch(this.#url, {
      method: 'POST',
      body,
      redirect: 'manual',
      signal,
      headers: {
        accept: ACCEPT,
        'content-type': 'application/json',
        'user-agent': 'mcp-contract',
        ...this.#headers,
        ...headers,
        ...(this.#session === undefined ? {} : { [SESSION]: this.#session }),
      },
    });
  }

  async #read(response: Response, id: number): Promise<Answer> {
    const type = (response.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
    const answer =
      type === 'text/event-stream' ? await this.#events(response, id) : await this.#document(response, id, type);
    if (answer !== undefined) return answer;
    throw new Refusal('not_mcp', `${this.#place} answered status ${response.status} without an answer to the request.`);
  }

  async #document(response: Response, id: number, type: string): Promise<Answer | undefined> {
    let text = '';
    await this.#chunks(response, (chunk) => {
      text += chunk;
      return false;
    });
    const { status } = response;
    if (status === 405 || (status === 404 && type !== 'application/json')) {
      throw new Refusal(
        'not_mcp',
        `${this.#place} does not take MCP requests (${status}). If it speaks the retired HTTP+SSE transport, it cannot be read; if not, check the path.`,
      );
    }
    if (type !== 'application/json') {
      throw new Refusal(
        'not_mcp',
        `${this.#place} answered status ${status} with ${type === '' ? 'no content type' : type}, which is not MCP: ${quote(text)}`,
      );
    }
    return answerTo(id, readJson(text, this.#limits.depth));
  }

  async #events(response: Response, id: number): Promise<Answer | undefined> {
    let answer: Answer | undefined;
    const reader = new EventReader((data) => {
      if (data.trim() !== '') answer ??= answerTo(id, readJson(data, this.#limits.depth));
    });
    await this.#chunks(response, (chunk) => {
      reader.push(chunk);
      return answer !== undefined;
    });
    reader.end();
    return answer;
  }

  /** Feeds the body piece by piece until `take` has enough; a body past its bound is dropped. */
  async #chunks(response: Response, take: (chunk: string) => boolean): Promise<void> {
    if (response.body === null) return;
    const decoder = new TextDecoder('utf-8');
    let bytes = 0;
    for await (const chunk of response.body) {
      bytes += chunk.byteLength;
      this.#bytes += chunk.byteLength;
      if (bytes > this.#limits.answerBytes || this.#bytes > this.#limits.totalBytes) {
        throw new Refusal(
          'too_large',
          `${this.#place} sent more than ${this.#limits.answerBytes} bytes in one answer, or ${this.#limits.totalBytes} in all.`,
        );
      }
      if (take(decoder.decode(chunk, { stream: true }))) return;
    }
  }
}
