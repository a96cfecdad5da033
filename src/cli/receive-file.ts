import { createHash } from 'node:crypto';
import { link, lstat, open, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { RawAnswer } from '../../generated/client/index.ts';
import { formatBytes, type Progress } from './progress.ts';
import { Refused, UsageFault } from './usage-fault.ts';

export interface ReceivedFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * Writes an answer to a file that must not exist, whole or not at all: the bytes go to a neighbour first, which gets the
 * name when their checksum is the one the server names. Without a path the server's own name for it is used.
 */
export async function receiveFile(
  answer: RawAnswer,
  { output, progress }: { readonly output?: string; readonly progress: Progress },
): Promise<ReceivedFile> {
  const path = output ?? nameOf(answer.headers);
  const part = join(dirname(path), `.${basename(path)}.${process.pid}.part`);
  const expected = Number(answer.headers.get('content-length') ?? Number.NaN);
  const hash = createHash('sha256');
  let bytes = 0;
  const file = await open(part, 'wx', 0o600).catch(() => {
    throw new UsageFault(`No file can be made in ${dirname(path)}.`);
  });
  try {
    try {
      for await (const chunk of answer.stream) {
        await file.writeFile(chunk);
        hash.update(chunk);
        bytes += chunk.length;
        progress.show(`${basename(path)}: ${formatBytes(bytes)}`);
      }
      await file.sync();
    } finally {
      progress.end();
      await file.close();
    }
    const sha256 = hash.digest('hex');
    check(answer.headers, { bytes, expected, sha256 });
    await link(part, path).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      throw taken(path);
    });
    return { path, bytes, sha256 };
  } finally {
    await rm(part, { force: true });
  }
}

/** Refuses a name that is taken before anything is asked of the server. */
export async function requireFree(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found !== undefined) throw taken(path);
}

function taken(path: string): UsageFault {
  return new UsageFault(`${path} exists and is left as it is; name another file with --output.`);
}

function check(
  headers: Headers,
  { bytes, expected, sha256 }: { readonly bytes: number; readonly expected: number; readonly sha256: string },
): void {
  const named = /sha-256=:([A-Za-z0-9+/=]+):/.exec(headers.get('repr-digest') ?? '')?.[1];
  const isWhole = Number.isNaN(expected) || expected === bytes;
  if (isWhole && named !== undefined && Buffer.from(named, 'base64').toString('hex') === sha256) return;
  throw new Refused('The file did not arrive as it was sent, and is not kept. Run the command again.');
}

/** The last part alone: a name never leads out of the folder. */
function nameOf(headers: Headers): string {
  const disposition = headers.get('content-disposition') ?? '';
  const encoded = /filename\*=UTF-8''([^;]+)/.exec(disposition)?.[1];
  const name = encoded === undefined ? /filename="([^"]+)"/.exec(disposition)?.[1] : decodeURIComponent(encoded);
  const safe = basename(name ?? 'dataset').replaceAll(/[\p{C}/\\]/gu, '_');
  return ['', '.', '..'].includes(safe) ? 'dataset' : safe;
}
