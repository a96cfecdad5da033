import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { isObject } from '../contain/json.ts';
import type { JsonValue } from '../model/types.ts';
import type { Limits } from './limits.ts';
import { answerTo, quote, readJson, type Answer } from './message.ts';
import { Refusal } from './refusal.ts';
import type { Ask, Transport } from './transport.ts';

interface Waiting {
  readonly id: number;
  readonly done: (answer: Answer) => void;
  readonly fail: (error: Refusal) => void;
}

/** MCP over the standard streams of a command the person named: one JSON message per line. */
export class StdioTransport implements Transport {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #limits: Limits;
  readonly #name: string;
  readonly #until: number;
  readonly #waiting = new Map<number, Waiting>();
  #rest = '';
  #bytes = 0;
  #last = 0;
  #ended: Refusal | undefined;
  #said = '';

  constructor({
    command,
    cwd,
    limits,
  }: {
    readonly command: readonly string[];
    readonly cwd: string;
    readonly limits: Limits;
  }) {
    const [program = '', ...parameters] = command;
    this.#name = program;
    this.#limits = limits;
    this.#until = performance.now() + limits.totalMs;
    this.#child = spawn(program, parameters, { cwd, stdio: ['pipe', 'pipe', 'pipe'] });
    this.#child.stdout.setEncoding('utf8').on('data', (chunk: string) => this.#take(chunk));
    this.#child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      this.#said = (this.#said + chunk).slice(-2000);
    });
    this.#child.stdin.on('error', () => undefined);
    this.#child.on('error', () =>
      this.#end(new Refusal('unreachable', `The command ${quote(program)} cannot be started.`)),
    );
    this.#child.on('close', (code) =>
      this.#end(
        new Refusal(
          'unreachable',
          `The command ${quote(program)} ended with ${code === null ? 'a signal' : `code ${code}`} before it answered.${this.#said.trim() === '' ? '' : ` Its last words: ${quote(this.#said.slice(-400))}`}`,
        ),
      ),
    );
  }

  ask({ method, params, timeoutMs }: Ask): Promise<Answer> {
    const id = (this.#last += 1);
    const patience = Math.max(0, Math.min(timeoutMs ?? this.#limits.answerMs, this.#until - performance.now()));
    return new Promise<Answer>((resolve, reject) => {
      if (this.#ended !== undefined) {
        reject(this.#ended);
        return;
      }
      const timer = setTimeout(() => {
        this.#waiting.delete(id);
        reject(new Refusal('timeout', `The command ${quote(this.#name)} did not answer ${method} in time.`));
      }, patience);
      const settle = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(id);
      };
      this.#waiting.set(id, {
        id,
        done: (answer) => {
          settle();
          resolve(answer);
        },
        fail: (error) => {
          settle();
          reject(error);
        },
      });
      this.#write({ jsonrpc: '2.0', id, method, params });
    });
  }

  tell({ method, params }: Omit<Ask, 'timeoutMs'>): Promise<void> {
    this.#write({ jsonrpc: '2.0', method, params });
    return Promise.resolve();
  }

  /** Closes the input first, as the protocol asks; a command that stays is stopped. */
  async close(): Promise<void> {
    const { exitCode, signalCode } = this.#child;
    if (this.#child.pid === undefined || exitCode !== null || signalCode !== null) return;
    const closed = new Promise<void>((resolve) => {
      this.#child.once('close', () => resolve());
    });
    this.#child.stdin.end();
    const softly = setTimeout(() => this.#child.kill('SIGTERM'), 500);
    const firmly = setTimeout(() => this.#child.kill('SIGKILL'), 1500);
    // A grandchild may hold the pipes open after the command itself is gone.
    const letGo = setTimeout(() => {
      this.#child.stdout.destroy();
      this.#child.stderr.destroy();
    }, 2500);
    await closed;
    for (const timer of [softly, firmly, letGo]) clearTimeout(timer);
  }

  #write(message: JsonValue): void {
    if (this.#child.stdin.writable) this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  #take(chunk: string): void {
    this.#bytes += chunk.length;
    this.#rest += chunk;
    if (this.#bytes > this.#limits.totalBytes || this.#rest.length > this.#limits.answerBytes) {
      this.#end(new Refusal('too_large', `The command ${quote(this.#name)} wrote more than it may.`));
      this.#child.kill('SIGKILL');
      return;
    }
    const lines = this.#rest.split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#line(line);
  }

  #line(line: string): void {
    // Some servers greet people on the stream that is meant for messages.
    if (!line.trimStart().startsWith('{')) return;
    try {
      const message = readJson(line, this.#limits.depth);
      if (!isObject(message)) return;
      this.#refuseRequest(message['id'], message['method']);
      for (const one of this.#waiting.values()) {
        const answer = answerTo(one.id, message);
        if (answer !== undefined) one.done(answer);
      }
    } catch (error) {
      this.#end(error instanceof Refusal ? error : new Refusal('failed', String(error)));
    }
  }

  /** A server may ask its client things; this one has nothing to give and says so. */
  #refuseRequest(id: JsonValue | undefined, method: JsonValue | undefined): void {
    if (id === undefined || typeof method !== 'string') return;
    this.#write(
      method === 'ping'
        ? { jsonrpc: '2.0', id, result: {} }
        : { jsonrpc: '2.0', id, error: { code: -32601, message: 'This client only reads listings.' } },
    );
  }

  #end(refusal: Refusal): void {
    this.#ended ??= refusal;
    for (const one of this.#waiting.values()) one.fail(this.#ended);
  }
}
