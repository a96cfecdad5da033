import { createHash } from 'node:crypto';
import { ObjectDamaged } from '../../domain/datasets/index.ts';

/** The stream, which fails at its end when the bytes are not the ones that were written. */
export async function* verified(
  key: string,
  stream: AsyncIterable<Uint8Array>,
  sha256: string,
): AsyncIterable<Uint8Array> {
  const hash = createHash('sha256');
  for await (const chunk of stream) {
    hash.update(chunk);
    yield chunk;
  }
  if (hash.digest('hex') !== sha256) throw new ObjectDamaged(key);
}
