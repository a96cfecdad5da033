import { timingSafeEqual } from 'node:crypto';
import { AppError } from './errors.ts';
import { deriveKey, hmacSha256 } from './secrets.ts';

/** One key of the last row of a page, exactly as the database wrote it: instants as microsecond text, never a Date. */
export type CursorValue = string | number | boolean | null;

const VERSION = 1;
const SIGNATURE_BYTES = 16;
const DIGEST_BYTES = 12;
const LENGTH_MAX = 2_048;

/**
 * Seals the place where a page ended. A cursor is opaque, signed, and good only for the query it was made for
 * (`query` = everything that decides which rows there are and in what order, the project included, `limit` excluded).
 */
export class PageCursors {
  readonly #key: Buffer;

  constructor(secret: string | Uint8Array) {
    this.#key = deriveKey(secret, 'page-cursor');
  }

  seal(query: unknown, position: readonly CursorValue[]): string {
    const body = Buffer.concat([Buffer.of(VERSION), this.#digest(query), Buffer.from(JSON.stringify(position))]);
    return Buffer.concat([this.#sign(body), body]).toString('base64url');
  }

  /** The position `seal` was given; `invalid_filter` for anything this query did not hand out. */
  open(query: unknown, cursor: string): readonly CursorValue[] {
    const bytes = cursor.length > LENGTH_MAX ? Buffer.alloc(0) : Buffer.from(cursor, 'base64url');
    const body = bytes.subarray(SIGNATURE_BYTES);
    // The canonical spelling is compared too: base64 decoders skip what they do not know.
    if (body.length < 1 + DIGEST_BYTES || bytes.toString('base64url') !== cursor) throw refused('is not valid');
    if (!timingSafeEqual(bytes.subarray(0, SIGNATURE_BYTES), this.#sign(body))) throw refused('is not valid');
    if (body[0] !== VERSION) throw refused('is from an older version');
    if (!timingSafeEqual(body.subarray(1, 1 + DIGEST_BYTES), this.#digest(query))) {
      throw refused('belongs to another query');
    }
    // because the signature proves that `seal` wrote this text
    return JSON.parse(body.subarray(1 + DIGEST_BYTES).toString('utf8')) as CursorValue[];
  }

  #sign(body: Buffer): Buffer {
    return hmacSha256(this.#key, body).subarray(0, SIGNATURE_BYTES);
  }

  #digest(query: unknown): Buffer {
    return hmacSha256(this.#key, `query:${JSON.stringify(query, sortKeys)}`).subarray(0, DIGEST_BYTES);
  }
}

function refused(why: string): AppError {
  return new AppError('invalid_filter', `The cursor ${why}; ask for the first page again without a cursor.`, {
    fields: { field: 'cursor' },
  });
}

/** Equal filters give equal digests whatever order their keys were written in. */
function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)));
}
