import type { ToolContracts, ToolName } from '../../generated/contracts/index.ts';

interface ToolCallerOptions {
  readonly origin: string;
  readonly apiKey: string;
  readonly projectId: string;
}

/** A tool's refusal, with the stable code of the contract. */
export class ToolRefusal extends Error {
  readonly code: string;
  readonly retryable: boolean;

  constructor({ code, message, retryable }: { code: string; message: string; retryable: boolean }) {
    super(message);
    this.name = 'ToolRefusal';
    this.code = code;
    this.retryable = retryable;
  }
}

const PROTOCOL = '2025-11-25';
const CALL_MS = 120_000;

/** Calls tools over MCP as one stateless request each, always for the same project. */
export class ToolCaller {
  readonly #options: ToolCallerOptions;

  constructor(options: ToolCallerOptions) {
    this.#options = options;
  }

  async call<N extends ToolName>(name: N, args: ToolContracts[N]['call']): Promise<ToolContracts[N]['output']> {
    const { origin, apiKey, projectId } = this.#options;
    const response = await fetch(new URL('/api/mcp/', origin), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': PROTOCOL,
        'x-api-key': apiKey,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: { ...args, project_id: projectId } },
      }),
      redirect: 'error',
      signal: AbortSignal.timeout(CALL_MS),
    });
    const { result, error } = (await response.json()) as Answer;
    if (result === undefined) throw new ToolRefusal(refusalOf(response.status, error));
    const text = result.content?.find(({ type }) => type === 'text')?.text ?? '{}';
    if (result.isError === true) throw new ToolRefusal(JSON.parse(text).error);
    // because the server validates every output against the contract this type is made from
    return (result.structuredContent ?? JSON.parse(text)) as ToolContracts[N]['output'];
  }
}

interface Answer {
  readonly result?: {
    readonly isError?: boolean;
    readonly structuredContent?: unknown;
    readonly content?: readonly { readonly type: string; readonly text?: string }[];
  };
  readonly error?: AnswerError | string;
}

interface AnswerError {
  readonly message?: string;
  readonly code?: string | number;
  readonly data?: { readonly code?: string; readonly message?: string; readonly retryable?: boolean };
}

/** Refusals before the tool is reached come as JSON-RPC errors, with the code of the contract in their data. */
function refusalOf(status: number, error: Answer['error']) {
  const { message = `The server answered ${status}.`, code, data = {} } = typeof error === 'object' ? error : {};
  return {
    code: data.code ?? (typeof code === 'string' ? code : 'unavailable'),
    message: data.message ?? message,
    retryable: data.retryable ?? status >= 500,
  };
}
