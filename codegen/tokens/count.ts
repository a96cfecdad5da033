import { O200K_TOKEN_SPLIT_REGEX } from 'gpt-tokenizer/encodingParams/constants';
import { loadTable } from './load.ts';
import { rankOf, type TokenTable } from './table.ts';

export type TokenCounter = (text: string) => number;

/**
 * Counts tokens as a model of the o200k family would. Words that mark the end of a text or of a turn are ordinary
 * text here: what a contract says is data.
 */
export function createTokenCounter(table: TokenTable = loadTable()): TokenCounter {
  const known = new Map<string, number>();
  const encoder = new TextEncoder();
  const countPiece = (piece: string): number => {
    const count = known.get(piece) ?? merge(table, encoder.encode(piece));
    known.set(piece, count);
    return count;
  };
  return (text) => {
    let count = 0;
    for (const piece of text.match(O200K_TOKEN_SPLIT_REGEX) ?? []) count += countPiece(piece);
    return count;
  };
}

/** How many tokens are left when neighbours have been joined, lowest rank first, until none can be. */
function merge(table: TokenTable, bytes: Uint8Array): number {
  const size = bytes.length;
  if (size === 0) return 0;
  if (rankOf(table, bytes, 0, size) >= 0) return 1;
  // Each part by its first byte: where it ends, where the one before begins, and the rank it would have if joined.
  const ends = Uint32Array.from({ length: size }, (_, at) => at + 1);
  const before = Int32Array.from({ length: size }, (_, at) => at - 1);
  const joined = new Int32Array(size).fill(-1);
  const queue = new Queue();
  const offer = (at: number): void => {
    const middle = ends[at] ?? size;
    const rank = middle >= size ? -1 : rankOf(table, bytes, at, ends[middle] ?? size);
    joined[at] = rank;
    if (rank >= 0) queue.add(rank, at);
  };
  for (let at = 0; at < size - 1; at += 1) offer(at);
  let parts = size;
  for (let next = queue.take(); next !== undefined; next = queue.take()) {
    const { rank, at } = next;
    // An offer that a neighbour has since overtaken.
    if (joined[at] !== rank) continue;
    const gone = ends[at] ?? size;
    const end = ends[gone] ?? size;
    ends[at] = end;
    joined[gone] = -1;
    if (end < size) before[end] = at;
    parts -= 1;
    offer(at);
    const left = before[at] ?? -1;
    if (left >= 0) offer(left);
  }
  return parts;
}

/** Offers by rank, the leftmost first among equals: a binary heap, so that a text without a gap stays affordable. */
class Queue {
  readonly #keys: number[] = [];

  add(rank: number, at: number): void {
    const keys = this.#keys;
    const key = rank * 2 ** 32 + at;
    let place = keys.length;
    keys.push(key);
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const above = keys[parent] ?? 0;
      if (above <= key) break;
      keys[place] = above;
      place = parent;
    }
    keys[place] = key;
  }

  take(): { rank: number; at: number } | undefined {
    const keys = this.#keys;
    const first = keys[0];
    const last = keys.pop();
    if (first === undefined || last === undefined) return undefined;
    if (keys.length > 0) this.#sink(last);
    return { rank: Math.floor(first / 2 ** 32), at: first % 2 ** 32 };
  }

  #sink(key: number): void {
    const keys = this.#keys;
    let place = 0;
    for (;;) {
      const left = 2 * place + 1;
      if (left >= keys.length) break;
      const smaller = (keys[left + 1] ?? Infinity) < (keys[left] ?? Infinity) ? left + 1 : left;
      const below = keys[smaller] ?? Infinity;
      if (below >= key) break;
      keys[place] = below;
      place = smaller;
    }
    keys[place] = key;
  }
}
