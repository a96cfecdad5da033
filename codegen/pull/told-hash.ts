import { isObject } from '../contain/json.ts';
import { LIMITS } from './limits.ts';
import { readJson } from './message.ts';
import type { Pulled } from './pull.ts';

/** The contract hash the server tells: in its discovery, or beside the endpoint where operators look. */
export async function toldHash(pulled: Pulled, url: URL): Promise<string | undefined> {
  const discovered = pulled.listings.map(({ listing }) => listing.contractHash).find((hash) => hash !== undefined);
  return discovered ?? healthHash(new URL('/healthz', url));
}

/** Servers need not have this page, so whatever goes wrong means no more than that it tells nothing. */
async function healthHash(url: URL): Promise<string | undefined> {
  try {
    const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(5000) });
    const text = await boundedText(response, 65_536);
    const body = response.ok && text !== undefined ? readJson(text, LIMITS.depth) : null;
    const hash = isObject(body) ? body['contract_hash'] : undefined;
    return typeof hash === 'string' ? hash : undefined;
  } catch {
    return undefined;
  }
}

async function boundedText(response: Response, limit: number): Promise<string | undefined> {
  if (response.body === null) return undefined;
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > limit) return undefined;
  }
  return text;
}
