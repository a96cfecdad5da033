import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Refusal } from '../http/refusal.ts';
import { AppError } from '../kernel/errors.ts';

const unzip = promisify(gunzip);

/** No export is larger than this once unpacked, however it was sent. */
const INFLATED_MAX = 32 * 1024 * 1024;
/** Telemetry shrinks twenty- to fiftyfold; a body that grows beyond this factor is made to. */
const RATIO_MAX = 200;
/** Small bodies may grow to this much whatever the factor: repetition makes short exports shrink a lot. */
const INFLATED_FREE = 1024 * 1024;

/** The body as it was before `Content-Encoding`. Unpacking stops at the bound, so a bomb costs no more than that. */
export async function decompress(body: Buffer, encoding: string | undefined): Promise<Buffer> {
  const name = encoding?.trim().toLowerCase() ?? 'identity';
  if (name === 'identity' || name === '') return body;
  if (name !== 'gzip' && name !== 'x-gzip') {
    throw new Refusal(415, 'invalid_request', 'Content-Encoding must be gzip or absent.', {
      headers: { 'accept-encoding': 'gzip' },
    });
  }
  const maxOutputLength = Math.min(INFLATED_MAX, Math.max(INFLATED_FREE, body.length * RATIO_MAX));
  try {
    return await unzip(body, { maxOutputLength });
  } catch (cause) {
    if (cause instanceof RangeError) {
      throw new Refusal(413, 'invalid_request', `The body unpacks to more than ${maxOutputLength} bytes.`);
    }
    throw new AppError('invalid_request', 'The body is not the gzip that Content-Encoding says.', { cause });
  }
}
