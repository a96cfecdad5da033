/** An answer that is larger than anything a model says. */
export class AnswerTooLarge extends Error {}

/** `fetch` that reads every answer to its end and gives up on one that passes the bound, so that none fills the memory. */
export function boundedFetch(maxBytes: number): typeof fetch {
  return async (input, init) => {
    // A redirect would carry the conversation, and perhaps the key, to an address that nobody set.
    const response = await fetch(input, { ...init, redirect: 'error' });
    const bytes = await readBounded(response, maxBytes, init?.signal ?? undefined);
    const hasBody = ![204, 205, 304].includes(response.status);
    return new Response(hasBody ? bytes : null, { status: response.status, headers: response.headers });
  };
}

/**
 * Listens to the signal itself. `fetch` keeps it only as long as its own request object lives, which a collection can end
 * while the body still trickles in; then nothing would ever stop it.
 */
async function readBounded(
  { body }: Response,
  maxBytes: number,
  signal: AbortSignal | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  if (body !== null) {
    const reader = body.getReader();
    const stop = (): void => void reader.cancel(signal?.reason).catch(() => undefined);
    signal?.addEventListener('abort', stop, { once: true });
    try {
      for (;;) {
        signal?.throwIfAborted();
        const { done, value } = await reader.read();
        signal?.throwIfAborted();
        if (done) break;
        length += value.byteLength;
        if (length > maxBytes) throw new AnswerTooLarge();
        chunks.push(value);
      }
    } catch (error) {
      stop();
      throw error;
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return whole;
}
