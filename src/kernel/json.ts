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

const SUSPICIOUS = /\\u|[0-9]{16}/;

/** Parses UTF-8 JSON that nests at most `maxDepth` levels. Throws only `JsonFault`. */
export function parseJson(bytes: Buffer, maxDepth: number = DEFAULT_MAX_DEPTH): ParsedJson {
  const text = bytes.toString('utf8');
  // Decoding leaves U+FFFD where bytes were wrong, so only a text that holds one needs the exact check.
  if (text.includes('\ufffd') && !isUtf8(bytes)) throw new JsonFault('encoding', 'The text is not valid UTF-8.');
  if (nestsTooDeep(text, maxDepth)) throw new JsonFault('depth', `The JSON nests deeper than ${maxDepth} levels.`);
  try {
    // Values that the parser changes without a word: long integers, half surrogate pairs and NUL written as escapes.
    return { value: JSON.parse(text), suspicious: SUSPICIOUS.test(text) };
  } catch {
    throw new JsonFault('syntax', 'The text is not valid JSON.');
  }
}

/** Looks before the parser builds anything. Few openers cannot nest deep, and most texts have few. */
function nestsTooDeep(text: string, maxDepth: number): boolean {
  return !hasFew(text, maxDepth) && scanDepth(text, maxDepth);
}

function hasFew(text: string, most: number): boolean {
  let left = most;
  for (const opener of ['{', '[']) {
    for (let at = text.indexOf(opener); at >= 0; at = text.indexOf(opener, at + 1)) {
      left -= 1;
      if (left < 0) return false;
    }
  }
  return true;
}

function scanDepth(text: string, maxDepth: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22:
        at = endOfString(text, at + 1);
        break;
      case 0x5b:
      case 0x7b:
        depth += 1;
        if (depth > maxDepth) return true;
        break;
      case 0x5d:
      case 0x7d:
        depth -= 1;
        break;
      default:
    }
  }
  return false;
}

function endOfString(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) return at;
    if (code === 0x5c) at += 1;
  }
  return text.length;
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
const PRINTABLE = /^[ -~]*$/;
const REPLACEMENT = '\ufffd';

/** Replaces each unseen character by U+FFFD, one for one, so that lengths in code points stay as they were. */
export function neutralise(text: string): string {
  if (PRINTABLE.test(text)) return text;
  return toWellFormed(text).replace(UNSEEN, REPLACEMENT);
}

export interface AgentJson {
  readonly text: string;
  /** The text is known to take one byte for each of its characters. */
  readonly isAscii: boolean;
  readonly clean: unknown;
}

/**
 * Minified JSON of a value, for an agent to read: parsing it gives the value with unseen characters neutralised.
 * `clean` is the value itself when nothing had to change, else a copy.
 */
export function stringifyForAgent(value: unknown): AgentJson {
  const text = JSON.stringify(value);
  const isAscii = hasOnlyAscii(text);
  if (!maySmuggle(text, isAscii)) return { text, isAscii, clean: value };
  const clean = neutraliseDeep(value);
  return { text: JSON.stringify(clean), isAscii: false, clean };
}

export function hasOnlyAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}

/** Quick and on the safe side: pure ASCII without unusual escapes has nothing to hide. */
function maySmuggle(text: string, isAscii: boolean): boolean {
  if (text.includes('\\') && UNUSUAL_ESCAPE.test(text)) return true;
  if (text.includes('\u007f')) return true;
  if (isAscii) return false;
  UNSEEN.lastIndex = 0;
  return UNSEEN.test(text);
}

/** What JSON writes as an escape and is not a quote, a backslash, a tab or a line break. */
const UNUSUAL_ESCAPE = /\\[ubf]/;

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
