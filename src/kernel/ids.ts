import { createHash, randomFillSync } from 'node:crypto';
import { systemClock, type Clock } from './clock.ts';

/** An id that the compiler keeps apart from the ids of other entities. */
export type Id<Entity extends string> = string & { readonly __entity: Entity };

export type IdMaker = () => string;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const SEQUENCE_MAX = 0xfff;
const ID_BYTES = 10;
const POOL_BYTES = 4_096;

/**
 * Makes UUID v7 texts that sort in the order they were made, also within one millisecond and when the wall clock
 * steps back: the 12 bits after the time count upwards, and when they run out the time part moves on by one.
 */
export function createIdMaker(clock: Clock): IdMaker {
  // Random bytes are drawn in bulk: one draw costs about as much for 4,096 bytes as for ten.
  const pool = Buffer.alloc(POOL_BYTES);
  let used = POOL_BYTES;
  let lastMs = 0;
  let sequence = 0;
  return () => {
    if (used + ID_BYTES > POOL_BYTES) {
      randomFillSync(pool);
      used = 0;
    }
    const bytes = pool.subarray(used, used + ID_BYTES);
    used += ID_BYTES;
    const nowMs = clock.now().getTime();
    if (nowMs > lastMs) {
      lastMs = nowMs;
      // Starts in the lower half so that a busy millisecond still has room to count.
      sequence = ((bytes[0] ?? 0) << 3) | ((bytes[1] ?? 0) >> 5);
    } else if (sequence < SEQUENCE_MAX) {
      sequence += 1;
    } else {
      lastMs += 1;
      sequence = 0;
    }
    return format(lastMs, sequence, bytes.subarray(2));
  };
}

/** The id of a new row. */
export const newId: IdMaker = createIdMaker(systemClock);

/** The same as `newId`, branded for one entity. */
export function newIdOf<Entity extends string>(): Id<Entity> {
  // because a fresh UUID is an id of whatever it is about to name
  return newId() as Id<Entity>;
}

/** The same UUID v8 (RFC 9562, section 5.8) for the same name, so that whoever makes the row first gives it this id. */
export function idOfName(...name: readonly string[]): string {
  const hex = createHash('sha256').update(JSON.stringify(name)).digest('hex');
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

function format(timeMs: number, sequence: number, random: Buffer): string {
  const time = timeMs.toString(16).padStart(12, '0');
  random.writeUInt8(((random[0] ?? 0) & 0x3f) | 0x80, 0);
  const hex = random.toString('hex');
  const counted = sequence.toString(16).padStart(3, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${counted}-${hex.slice(0, 4)}-${hex.slice(4)}`;
}
