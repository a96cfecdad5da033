import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { ApiError, createClient, type Client } from '../../../generated/client/index.ts';
import type { ToolContracts, ToolName } from '../../../generated/contracts/index.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { rpc } from '../../support/mcp.ts';
import type { Installation } from './installation.ts';

export type Activity = 'ingest' | 'upload' | 'landing' | 'step' | 'export';
export const ACTIVITIES: readonly Activity[] = ['ingest', 'upload', 'landing', 'step', 'export'];

/** What a client hears when it is told to come again. */
const PASSING = new Set(['unavailable', 'rate_limited', 'dataset_busy']);
const AGAIN_MS = 150;
/** What passes has passed by then, whatever is killed meanwhile. */
const PATIENCE_MS = 300_000;
/** A key of a call that died with its server is held for two minutes. */
const HELD_MS = 1_000;

interface Refused {
  readonly code: string;
  readonly message: string;
  readonly fields: { readonly effect?: string };
}

/** A client that goes on through whatever passes: other servers, the same request key, the place where a file stands. */
export class GoodClient {
  readonly installation: Installation;
  /** Requests on their way, by server. */
  readonly underWay = new Map<string, number>();
  /** Why a request was last repeated, for whoever wonders what it waits for. */
  readonly troubles = new Map<string, string>();
  #isAbandoned = false;
  #turn = 0;

  constructor(installation: Installation) {
    this.installation = installation;
  }

  /** How many requests of this activity the server has in hand; all servers without one. */
  busy(activity: Activity, origin?: string): number {
    const origins = origin === undefined ? this.installation.origins() : [origin];
    return origins.reduce((sum, one) => sum + (this.underWay.get(`${activity} ${one}`) ?? 0), 0);
  }

  /** Repeats the work, on one server after the other, until it gets an answer that counts. */
  async persist<T>(activity: Activity | undefined, work: (origin: string) => Promise<T>): Promise<T> {
    const since = performance.now();
    for (;;) {
      const origins = this.installation.origins();
      const origin = origins[(this.#turn += 1) % origins.length];
      if (origin !== undefined) {
        const place = `${String(activity)} ${origin}`;
        this.underWay.set(place, (this.underWay.get(place) ?? 0) + 1);
        try {
          return await work(origin);
        } catch (error) {
          if (!isPassing(error) || this.#isAbandoned || performance.now() - since > PATIENCE_MS) throw error;
          this.troubles.set(String(activity), `${String(error)} ${origin}`);
        } finally {
          this.underWay.set(place, (this.underWay.get(place) ?? 1) - 1);
        }
      }
      assert.ok(!this.#isAbandoned, 'the run is over');
      await wait(AGAIN_MS);
    }
  }

  /** One call of the REST interface, repeated until it is answered; for what may be done twice. */
  rest<T>(activity: Activity | undefined, work: (client: Client) => Promise<T>): Promise<T> {
    return this.persist(activity, (origin) => work(this.client(origin)));
  }

  /** Nothing is repeated any more. */
  abandon(): void {
    this.#isAbandoned = true;
  }

  client(origin: string): Client {
    return createClient({ origin, apiKey: this.installation.key });
  }

  /** A tool that only reads, or that may be called twice. */
  read<N extends ToolName>(name: N, args: ToolContracts[N]['call']): Promise<ToolContracts[N]['output']> {
    return this.persist(undefined, (origin) => this.#call(origin, name, args));
  }

  /**
   * A tool that must take effect once: the same key again and again. `undefined` when it took effect and its answer
   * died with the server. `onHeld` hears when the key is held by a call nobody will answer.
   */
  async once<N extends ToolName>(
    activity: Activity,
    name: N,
    args: ToolContracts[N]['call'],
    onHeld: (isHeld: boolean) => void = () => undefined,
  ): Promise<ToolContracts[N]['output'] | undefined> {
    const keyed = { ...args, request_key: newId() };
    let isHeld = false;
    try {
      for (;;) {
        try {
          return await this.persist(activity, (origin) => this.#call(origin, name, keyed));
        } catch (error) {
          if (!(error instanceof ToolRefusal)) throw error;
          if (error.refused.fields.effect === 'committed') return undefined;
          if (error.refused.code !== 'request_conflict') throw error;
          assert.ok(!this.#isAbandoned, 'the run is over');
          if (!isHeld) onHeld((isHeld = true));
          await wait(HELD_MS);
        }
      }
    } finally {
      if (isHeld) onHeld(false);
    }
  }

  async #call<N extends ToolName>(
    origin: string,
    name: N,
    args: ToolContracts[N]['call'],
  ): Promise<ToolContracts[N]['output']> {
    const answer = await rpc(origin, {
      key: this.installation.key,
      method: 'tools/call',
      params: { name, arguments: args },
    });
    const { result } = answer;
    if (result === undefined) {
      const code = String(answer.error?.data?.['code']);
      throw new ToolRefusal(name, { code, message: answer.error?.message ?? String(answer.status), fields: {} });
    }
    if (result['isError'] !== true) {
      // because the server validates every output against the contract this type is made from
      return result['structuredContent'] as ToolContracts[N]['output'];
    }
    // because an error result is the error object as text
    const [content] = result['content'] as readonly { readonly text: string }[];
    const { error } = JSON.parse(content?.text ?? '{}') as { error: Refused };
    throw new ToolRefusal(name, error);
  }
}

class ToolRefusal extends Error {
  readonly refused: Refused;

  constructor(tool: string, refused: Refused) {
    super(`${tool}: ${refused.code}: ${refused.message}`);
    this.refused = refused;
  }
}

/** Whether to come again: the line broke, the server starts or is overloaded, or the database is away. */
function isPassing(error: unknown): boolean {
  if (error instanceof ToolRefusal) {
    const { code, message, fields } = error.refused;
    // Eight seconds are much for these statements, and little for a machine that starts four processes meanwhile.
    return (PASSING.has(code) && fields.effect === undefined) || message.includes('ran longer than');
  }
  if (error instanceof ApiError) return PASSING.has(error.code);
  assert.ok(error instanceof Error);
  // What `fetch` throws for a connection that was refused or cut, while the head or the body came.
  return error instanceof TypeError || error.name === 'SyntaxError';
}
