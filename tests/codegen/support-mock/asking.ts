import assert from 'node:assert/strict';
import type { Serving } from '../../../codegen/mock/serve.ts';
import { rpc, type Era, type RpcAnswer } from '../../support/mcp.ts';
import type { World } from '../../support/given.ts';

export type Params = Readonly<Record<string, unknown>>;

/** What the server and the mock answered to the same request. */
export interface Pair {
  readonly server: RpcAnswer;
  readonly mock: RpcAnswer;
}

interface Asking {
  readonly real?: Params;
  readonly era?: Era;
  readonly wanted?: string;
}

export const ERAS: readonly Era[] = ['legacy', 'modern'];

/** Both sides, which are sent the same requests. */
export class Both {
  readonly world: World;
  readonly #mock: string;

  constructor(world: World, serving: Serving) {
    this.world = world;
    this.#mock = new URL(serving.url).origin;
  }

  /** The same request to both; `real` has ids that only the running server knows, `wanted` is the mock's error. */
  async ask(method: string, params: Params, { real = params, era = 'legacy', wanted }: Asking = {}): Promise<Pair> {
    const headers = wanted === undefined ? {} : { 'x-mock-error': wanted };
    const [server, mock] = await Promise.all([
      rpc(this.world.server.origin, { key: this.world.key, method, params: real, era }),
      rpc(this.#mock, { method, params, era, headers }),
    ]);
    return { server, mock };
  }
}

/** All of them, few at a time: each request of a crowd would open a connection of its own. */
export async function eachOf<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const next = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: 8 }, next));
}

export function contentOf({ status, result, error }: RpcAnswer, what: string): unknown {
  assert.equal(status, 200, what);
  assert.notEqual(result?.['isError'], true, `${what}: ${JSON.stringify(result?.['content'] ?? error)}`);
  return result?.['structuredContent'];
}

/** Members of a result and kinds of its content, which a client reads before any schema. */
export function envelopeOf({ result = {} }: RpcAnswer): unknown {
  // because every result of a call has content
  const content = result['content'] as readonly { readonly type: string }[];
  const kinds = new Set(content.map(({ type }) => type));
  return { members: Object.keys(result).sort(), kinds: [...kinds].filter((kind) => kind !== 'resource_link') };
}

export function payloadOf({ result, error }: RpcAnswer, name: string): unknown {
  assert.ok(result !== undefined, `${name}: ${JSON.stringify(error)}`);
  // because a read answers one text
  const [content] = result['contents'] as readonly { readonly text: string }[];
  return JSON.parse(content?.text ?? '');
}

export interface ToldError {
  readonly code: unknown;
  readonly retryable: unknown;
  readonly members: readonly string[];
  readonly fields: readonly string[];
  /** Members of the result around it. */
  readonly around: readonly string[];
}

export function errorOf({ result = {}, error: refused }: RpcAnswer, what = ''): ToldError {
  assert.equal(result['isError'], true, `${what}: ${JSON.stringify(refused ?? result)}`);
  // because an error result tells its error in its only text
  const [content] = result['content'] as readonly { readonly text: string }[];
  const { error } = JSON.parse(content?.text ?? '{}') as { error: Record<string, unknown> };
  return {
    code: error['code'],
    retryable: error['retryable'],
    members: Object.keys(error).sort(),
    fields: Object.keys(error['fields'] ?? {}).sort(),
    around: Object.keys(result).sort(),
  };
}

/** An error where the protocol has no error results, or one that has. */
export function refusalOf(answer: RpcAnswer): unknown {
  if (answer.result !== undefined) return errorOf(answer);
  const { status, error } = answer;
  return { status, code: error?.code, contract: error?.data?.['code'], data: Object.keys(error?.data ?? {}).sort() };
}

export function namesOf({ result = {} }: RpcAnswer): unknown {
  // because each listing has one list of named things
  const [list] = Object.values(result).filter(Array.isArray) as { name: string }[][];
  return list?.map(({ name }) => name).sort();
}

export function expanded(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{([a-z_]+)\}/gu, (_, name: string) => encodeURIComponent(values[name] ?? ''));
}
