/** An answer that is larger than anything a model says. */
export class AnswerTooLarge extends Error {}

/** `fetch` that reads every answer to its end and gives up on one that passes the bound, so that none fills the memory. */
export function boundedFetch(maxBytes: number): typeof fetch {
  return async (input, init) => {
    // A redirect would carry the conversation, and perhaps the key, to an address that nobody set.
    const response = await fetch(input, { ...init, redirect: 'error' });
    const bytes = await readBounded(response, maxBytes);
    const hasBody = ![204, 205, 304].includes(response.status);
    return new Response(hasBody ? bytes : null, { status: response.status, headers: response.headers });
  };
}

async function readBounded(response: Response, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  if (response.body !== null) {
    const reader = response.body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      length += value.byteLength;
      if (length > maxBytes) {
        await reader.cancel();
        throw new AnswerTooLarge();
      }
      chunks.push(value);
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
