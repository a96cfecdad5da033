import { isUtf8 } from 'node:buffer';
import { isWellFormed, toWellFormed } from './bounded.ts';

/** Why a text is not acceptable JSON. The message is ours; engine text never gets out. */
export class JsonFault extends Error {
  readonly reason: 'encoding' | 'syntax' | 'depth';

  constructor(reason: 'encoding' | 'syntax' | 'depth', message: string) {
    super(message);
    this.name = 'JsonFault';
    this.reason = reason;
  }
}

export interface ParsedJson {
  readonly value: unknown;
  /** The text holds an escape or a number that may not survive; look closer with `findUnsafe`. */
  readonly suspicious: boolean;
}

export const DEFAULT_MAX_DEPTH = 64;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LONGEST_SAFE_DIGITS = 15;

/** Parses UTF-8 JSON that nests at most `maxDepth` levels. Throws only `JsonFault`. */
export function parseJson(bytes: Buffer, maxDepth: number = DEFAULT_MAX_DEPTH): ParsedJson {
  if (!isUtf8(bytes)) throw new JsonFault('encoding', 'The text is not valid UTF-8.');
  const scan = scanTokens(bytes, maxDepth);
  if (scan.tooDeep) throw new JsonFault('depth', `The JSON nests deeper than ${maxDepth} levels.`);
  try {
    return { value: JSON.parse(bytes.toString('utf8')), suspicious: scan.suspicious };
  } catch {
    throw new JsonFault('syntax', 'The text is not valid JSON.');
  }
}

/**
 * One pass over the bytes, before the parser builds anything: a deep text is refused while it costs nothing, and
 * values that `JSON.parse` would silently change (long integers, half surrogate pairs, NUL) are noticed.
 */
function scanTokens(bytes: Buffer, maxDepth: number): { tooDeep: boolean; suspicious: boolean } {
  let depth = 0;
  let suspicious = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      for (at++; at < bytes.length && bytes[at] !== QUOTE; at++) {
        if (bytes[at] !== BACKSLASH) continue;
        at++;
        if (bytes[at] === 0x75) suspicious = true;
      }
    } else if (byte === 0x5b || byte === 0x7b) {
      if (++depth > maxDepth) return { tooDeep: true, suspicious };
    } else if (byte === 0x5d || byte === 0x7d) {
      depth--;
    } else if (byte !== undefined && byte >= 0x30 && byte <= 0x39) {
      const start = at;
      while (isDigit(bytes[at + 1])) at++;
      if (at - start >= LONGEST_SAFE_DIGITS) suspicious = true;
    }
  }
  return { tooDeep: false, suspicious };
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

export interface UnsafeValue {
  /** Dotted path, `filter.owner` or `rows.3.id`; empty for the value itself. */
  readonly path: string;
  readonly message: string;
}

/** Finds values that cannot be kept exactly: integers beyond 2^53, NUL, half surrogate pairs. At most `limit` of them. */
export function findUnsafe(value: unknown, limit = 20): UnsafeValue[] {
  const found: UnsafeValue[] = [];
  const visit = (node: unknown, path: string): void => {
    if (found.length >= limit) return;
    if (typeof node === 'string') {
      const message = unsafeText(node);
      if (message !== undefined) found.push({ path, message });
    } else if (typeof node === 'number') {
      if (Number.isInteger(node) && !Number.isSafeInteger(node) && Math.abs(node) < 1e21) {
        found.push({ path, message: 'is an integer beyond 2^53 and would lose digits; send it as a string' });
      }
    } else if (Array.isArray(node)) {
      node.forEach((item, index) => visit(item, join(path, String(index))));
    } else if (typeof node === 'object' && node !== null) {
      for (const [key, item] of Object.entries(node)) {
        const message = unsafeText(key);
        if (message !== undefined)
          found.push({ path: join(path, toWellFormed(key)), message: `has a name that ${message}` });
        visit(item, join(path, key));
      }
    }
  };
  visit(value, '');
  return found;
}

function unsafeText(text: string): string | undefined {
  if (!isWellFormed(text)) return 'contains half a surrogate pair, which is not text';
  if (text.includes('\u0000')) return 'contains a NUL character';
  return undefined;
}

function join(path: string, step: string): string {
  return path === '' ? step : `${path}.${step}`;
}

/*
 * Characters that change how text around them reads, or that nobody can see: controls except tab and line breaks,
 * bidirectional controls, line and paragraph separator, interlinear marks, tag characters, half surrogate pairs.
 * Joiners and variation selectors stay: emoji and several scripts need them.
 */
const UNSEEN =
  // oxlint-disable-next-line no-control-regex -- control characters are what this looks for
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb]|\udb40[\udc00-\udc7f]/g;
const REPLACEMENT = '\ufffd';

/** Replaces each unseen character by U+FFFD, one for one, so that lengths in code points stay as they were. */
export function neutralise(text: string): string {
  return toWellFormed(text).replace(UNSEEN, REPLACEMENT);
}

/**
 * Minified JSON of a value, for an agent to read: parsing it gives the value with unseen characters neutralised.
 * `clean` is the value itself when nothing had to change, else a copy.
 */
export function stringifyForAgent(value: unknown): { readonly text: string; readonly clean: unknown } {
  const text = JSON.stringify(value);
  if (!maySmuggle(text)) return { text, clean: value };
  const clean = neutraliseDeep(value);
  return { text: JSON.stringify(clean), clean };
}

/** Quick and on the safe side: pure ASCII without unusual escapes has nothing to hide. */
function maySmuggle(text: string): boolean {
  if (text.includes('\\u') || text.includes('\\b') || text.includes('\\f') || text.includes('\u007f')) return true;
  if (Buffer.byteLength(text) === text.length) return false;
  UNSEEN.lastIndex = 0;
  return UNSEEN.test(text);
}

function neutraliseDeep(value: unknown): unknown {
  if (typeof value === 'string') return neutralise(value);
  if (Array.isArray(value)) return value.map(neutraliseDeep);
  if (typeof value !== 'object' || value === null) return value;
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function')
    return neutraliseDeep(JSON.parse(JSON.stringify(value)));
  // fromEntries defines own properties, so a key named __proto__ stays data.
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [neutralise(key), neutraliseDeep(item)]));
}

/** JSON with keys sorted at every level: equal values give equal text. For digests, not for the wire. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`);
  return `{${members.join(',')}}`;
}
