import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

/** SHA-256 of a file in hex, read once from beginning to end. */
export async function digestFile(path: string, onBytes: (read: number) => void): Promise<string> {
  const hash = createHash('sha256');
  let read = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
    // because a stream without an encoding gives bytes
    const bytes = chunk as Buffer;
    hash.update(bytes);
    read += bytes.length;
    onBytes(read);
  }
  return hash.digest('hex');
}
