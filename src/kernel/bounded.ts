const HALF_PAIR = /\p{Surrogate}/u;
const HALF_PAIRS = /\p{Surrogate}/gu;

/** Whether no half of a surrogate pair stands alone. */
export function isWellFormed(text: string): boolean {
  return !HALF_PAIR.test(text);
}

/** The text with U+FFFD in place of every lone half of a surrogate pair. */
export function toWellFormed(text: string): string {
  return isWellFormed(text) ? text : text.replace(HALF_PAIRS, '\ufffd');
}

/** Length as JSON Schema counts it. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** The longest start of `text` with at most `maxCodeUnits` UTF-16 units that does not end in half a surrogate pair. */
export function clip(text: string, maxCodeUnits: number): string {
  if (text.length <= maxCodeUnits) return text;
  const last = text.charCodeAt(maxCodeUnits - 1);
  const cutsPair = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, cutsPair ? maxCodeUnits - 1 : maxCodeUnits);
}

/** A clipped text says so at its end, with the number of units that are missing. */
export function clipMarked(text: string, maxCodeUnits: number): string {
  if (text.length <= maxCodeUnits) return text;
  const start = clip(text, maxCodeUnits);
  return `${start}… [cut ${text.length - start.length} characters]`;
}

/** A map that forgets its oldest entry when it is full; for caches whose keys come from callers. */
export class BoundedMap<K, V> {
  readonly #entries = new Map<K, V>();
  readonly #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(key: K): V | undefined {
    return this.#entries.get(key);
  }

  set(key: K, value: V): void {
    if (this.#entries.size >= this.#capacity && !this.#entries.has(key)) {
      for (const oldest of this.#entries.keys()) {
        this.#entries.delete(oldest);
        break;
      }
    }
    this.#entries.set(key, value);
  }
}
