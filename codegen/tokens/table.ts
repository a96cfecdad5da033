/** The vocabulary of the tokeniser as one flat table: found by hash, loaded by reading one file, never parsed. */

const HEADER_BYTES = 12;

export interface TokenTable {
  /** Open addressing; a slot holds a rank plus one, or nothing. */
  readonly slots: Int32Array;
  /** Where the bytes of each rank begin; one entry more than there are ranks. */
  readonly starts: Uint32Array;
  readonly bytes: Uint8Array;
}

/** Reads the vocabulary as its authors publish it: one line for each token, base64 and rank. */
export function buildTable(lines: string): TokenTable {
  const tokens: (Uint8Array | undefined)[] = [];
  for (const line of lines.split('\n')) {
    const space = line.indexOf(' ');
    if (space > 0) tokens[Number(line.slice(space + 1))] = Buffer.from(line.slice(0, space), 'base64');
  }
  const starts = new Uint32Array(tokens.length + 1);
  // A rank nobody uses leaves a hole, which is a token without bytes.
  const whole = Array.from(tokens, (token = new Uint8Array(0)) => token);
  for (const [rank, token] of whole.entries()) starts[rank + 1] = (starts[rank] ?? 0) + token.length;
  const bytes = new Uint8Array(starts[tokens.length] ?? 0);
  const slots = new Int32Array(2 ** Math.ceil(Math.log2(tokens.length * 1.25 + 1)));
  for (const [rank, token] of whole.entries()) {
    if (token.length === 0) continue;
    bytes.set(token, starts[rank]);
    let at = hash(token, 0, token.length) & (slots.length - 1);
    while (slots[at] !== 0) at = (at + 1) & (slots.length - 1);
    slots[at] = rank + 1;
  }
  return { slots, starts, bytes };
}

export function packTable({ slots, starts, bytes }: TokenTable): Uint8Array {
  const packed = Buffer.alloc(HEADER_BYTES + slots.byteLength + starts.byteLength + bytes.byteLength);
  new Uint32Array(packed.buffer, packed.byteOffset, 3).set([slots.length, starts.length, bytes.length]);
  new Int32Array(packed.buffer, packed.byteOffset + HEADER_BYTES, slots.length).set(slots);
  new Uint32Array(packed.buffer, packed.byteOffset + HEADER_BYTES + slots.byteLength, starts.length).set(starts);
  packed.set(bytes, HEADER_BYTES + slots.byteLength + starts.byteLength);
  return packed;
}

/** The table in the order of bytes of the machine that packed it; undefined when the file is none. */
export function unpackTable(packed: Uint8Array): TokenTable | undefined {
  if (packed.byteLength < HEADER_BYTES || packed.byteOffset % 4 !== 0) return undefined;
  const [slots = 0, starts = 0, bytes = 0] = new Uint32Array(packed.buffer, packed.byteOffset, 3);
  const afterSlots = HEADER_BYTES + slots * 4;
  const afterStarts = afterSlots + starts * 4;
  if (packed.byteLength !== afterStarts + bytes) return undefined;
  return {
    slots: new Int32Array(packed.buffer, packed.byteOffset + HEADER_BYTES, slots),
    starts: new Uint32Array(packed.buffer, packed.byteOffset + afterSlots, starts),
    bytes: packed.subarray(afterStarts),
  };
}

/** The rank of some bytes, or -1 when they are no token. */
export function rankOf({ slots, starts, bytes }: TokenTable, text: Uint8Array, from: number, to: number): number {
  const mask = slots.length - 1;
  for (let at = hash(text, from, to) & mask; ; at = (at + 1) & mask) {
    const rank = (slots[at] ?? 0) - 1;
    if (rank < 0) return -1;
    const start = starts[rank] ?? 0;
    if ((starts[rank + 1] ?? 0) - start !== to - from) continue;
    let same = 0;
    while (from + same < to && bytes[start + same] === text[from + same]) same += 1;
    if (from + same === to) return rank;
  }
}

/** FNV-1a. */
function hash(bytes: Uint8Array, from: number, to: number): number {
  let value = 0x811c9dc5;
  for (let at = from; at < to; at += 1) value = Math.imul(value ^ (bytes[at] ?? 0), 0x01000193);
  // The low bits of this hash alone spread badly.
  return value ^ (value >>> 15);
}
