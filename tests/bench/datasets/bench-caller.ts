import { setTimeout as wait } from 'node:timers/promises';
import { createClient, type Client } from '../../../generated/client/index.ts';

export interface ToolAnswer {
  readonly isError: boolean;
  /** The whole answer as it came. */
  readonly text: string;
  readonly output: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: string; readonly message: string; readonly retryable: boolean };
}

export interface BenchProject {
  readonly origin: string;
  /** Works in this project alone. */
  readonly key: string;
  readonly projectId: string;
}

/** Asks a real server what an agent and a command line client would, within one project. */
export class BenchCaller {
  readonly origin: string;
  readonly key: string;
  readonly projectId: string;

  constructor({ origin, key, projectId }: BenchProject) {
    this.origin = origin;
    this.key = key;
    this.projectId = projectId;
  }

  client(origin = this.origin): Client {
    return createClient({ origin, apiKey: this.key });
  }

  /** Calls a tool over MCP. */
  async call(name: string, args: Readonly<Record<string, unknown>>): Promise<ToolAnswer> {
    const text = await this.rpc('tools/call', { name, arguments: args });
    // because the server answers JSON-RPC
    const { result, error } = JSON.parse(text) as RpcBody;
    if (result === undefined) throw new Error(`${name}: ${JSON.stringify(error)}`);
    if (result.isError !== true) return { isError: false, text, output: result.structuredContent ?? {} };
    // because an error result is the error object as its only text
    const fault = JSON.parse(result.content[0]?.text ?? '{}') as Required<Pick<ToolAnswer, 'error'>>;
    return { isError: true, text, output: {}, error: fault.error };
  }

  /** The body of the answer to one request. */
  async rpc(method: string, params: Readonly<Record<string, unknown>>): Promise<string> {
    const response = await fetch(`${this.origin}/api/mcp/`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
        'x-api-key': this.key,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    return response.text();
  }

  /** Polls a job until it is over, and gives its last state. */
  async finishJob({
    kind,
    id,
  }: {
    readonly kind: string;
    readonly id: string;
  }): Promise<Readonly<Record<string, unknown>>> {
    for (;;) {
      const { output, error } = await this.call('get_job', { kind, id });
      if (error !== undefined && !error.retryable) throw new Error(`get_job: ${error.message}`);
      if (output['final'] === true) return output;
      await wait(POLL_MS);
    }
  }
}

const POLL_MS = 100;

interface RpcBody {
  readonly result?: {
    readonly isError?: boolean;
    readonly structuredContent?: Readonly<Record<string, unknown>>;
    readonly content: readonly { readonly text: string }[];
  };
  readonly error?: unknown;
}
