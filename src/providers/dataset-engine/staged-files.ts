import { createWriteStream } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { TextDecoder } from 'node:util';
import { AppError } from '../../kernel/errors.ts';
import type { FileFormat, SourceFile } from '../../domain/datasets/index.ts';
import { JsonText } from './json-text.ts';
import type { EngineFile } from './protocol.ts';

const HEADER_BYTES_MAX = 64 * 1024;
const MIB = 1024 * 1024;
const DELIMITERS = [',', ';', '\t', '|'];
const ESCAPED_NUL = /(?<!\\)(?:\\\\)*\\u0000/;
const LONG_NUMBER = /\d{19}/;
const TAIL_CHARACTERS = 4_096;
const MARK_BYTES = 2;

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be';

export interface StageOptions {
  readonly name: string;
  /** Largest JSON array: it is read as one value, while rows on lines of their own need no such bound. */
  readonly arrayBytes: number;
  readonly signal?: AbortSignal;
  readonly onBytes: (bytes: number) => Promise<void>;
}

/**
 * Puts the content of a file where the engine can read it: as UTF-8 without a byte order mark, free of U+0000, and in
 * JSON with no whole number that it would round and no space that it cannot read.
 */
export async function stageFile(
  { format, content }: SourceFile,
  folder: string,
  options: StageOptions,
): Promise<EngineFile> {
  const file = path.join(folder, `${options.name}.${format}`);
  const look: Look = { head: '', first: undefined, bytes: 0, lineEnds: new Set(), hasLongNumbers: false };
  const bytes = counted(content(), look, options.onBytes);
  const staged =
    format === 'parquet' ? bytes : plainText(fromWholeMark(bytes), checkOf(format, look, options.arrayBytes), format);
  await pipeline(Readable.from(staged), createWriteStream(file, { mode: 0o600 }), {
    ...(options.signal && { signal: options.signal }),
  });
  if (look.bytes === 0) throw invalid('The file is empty.');
  return { path: file, format, ...(format === 'csv' || format === 'tsv' ? dialectOf(look, format) : {}) };
}

interface Look {
  /** The first characters of a text file. */
  head: string;
  /** The first character that is no space. */
  first: string | undefined;
  bytes: number;
  readonly lineEnds: Set<string>;
  hasLongNumbers: boolean;
}

async function* counted(
  content: AsyncIterable<Uint8Array>,
  look: Look,
  onBytes: (bytes: number) => Promise<void>,
): AsyncIterable<Uint8Array> {
  for await (const chunk of content) {
    look.bytes += chunk.byteLength;
    yield chunk;
    await onBytes(look.bytes);
  }
}

/** The same bytes, the first piece long enough to show a byte order mark. */
async function* fromWholeMark(content: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  let held: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of content) {
    if (held === undefined) {
      yield chunk;
      continue;
    }
    held = Buffer.concat([held, chunk]);
    if (held.length < MARK_BYTES) continue;
    yield held;
    held = undefined;
  }
  if (held !== undefined) yield held;
}

async function* plainText(content: AsyncIterable<Uint8Array>, check: Check, format: FileFormat): AsyncIterable<string> {
  const json = format.startsWith('json') ? new JsonText() : undefined;
  let encoding: Encoding | undefined;
  let decoder: TextDecoder | undefined;
  let start = 0;
  const decode = (chunk?: Uint8Array): string => {
    try {
      return decoder?.decode(chunk, { stream: chunk !== undefined }) ?? '';
    } catch (cause) {
      const at = start + (chunk === undefined ? 0 : readableBytes(chunk, encoding, start));
      throw invalid(`The file is not text in UTF-8 or UTF-16: what stands near byte ${at} cannot be read.`, cause);
    }
  };
  for await (const chunk of content) {
    encoding ??= encodingOf(chunk);
    decoder ??= new TextDecoder(encoding, { fatal: true });
    const text = decode(chunk);
    check(text, (index) => start + lengthIn(encoding, text.slice(0, index)));
    yield json?.push(text) ?? text;
    start += chunk.byteLength;
  }
  const rest = decode();
  check(rest, () => start);
  yield json === undefined ? rest : json.push(rest) + json.end();
}

type Check = (text: string, byteOf: (index: number) => number) => void;

/** Looks at each piece of the text in turn; `byteOf` tells where in the file a character of it stands. */
function checkOf(format: FileFormat, look: Look, arrayBytes: number): Check {
  let tail = '';
  return (text, byteOf) => {
    if (look.head.length < HEADER_BYTES_MAX) look.head += text.slice(0, HEADER_BYTES_MAX - look.head.length);
    look.first ??= /\S/.exec(text)?.[0];
    const zero = text.indexOf('\0');
    if (zero !== -1)
      throw invalid(`The file holds the character U+0000 near byte ${byteOf(zero)}, which no text may hold.`);
    if (!format.startsWith('json')) {
      const joined = tail + text;
      noteLineEnds(joined, look.lineEnds);
      look.hasLongNumbers ||= LONG_NUMBER.test(joined);
      tail = /(?:\r|\d{1,18})$/.exec(joined.slice(-TAIL_CHARACTERS))?.[0] ?? '';
      return;
    }
    if (format === 'json' && look.first === '[' && look.bytes > arrayBytes) {
      const most = `${arrayBytes / MIB} MiB`;
      throw invalid(`A JSON array may have at most ${most}; write one object per line as .jsonl instead.`);
    }
    const joined = tail + text;
    const escaped = joined.includes('\\u0000') ? joined.search(ESCAPED_NUL) : -1;
    if (escaped !== -1) {
      const at = byteOf(Math.max(0, escaped - tail.length));
      throw invalid(`A value near byte ${at} holds the character U+0000, which no text may hold.`);
    }
    tail = joined.slice(-TAIL_CHARACTERS);
  };
}

function noteLineEnds(text: string, ends: Set<string>): void {
  if (!text.includes('\r')) {
    if (text.includes('\n')) ends.add('LF');
    return;
  }
  if (text.includes('\r\n')) ends.add('CR LF');
  if (/(?:^|[^\r])\n/.test(text)) ends.add('LF');
  if (/\r(?!\n)./s.test(text)) ends.add('CR');
}

/** By its byte order mark, which the decoder then leaves out. */
function encodingOf([first, second]: Uint8Array): Encoding {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

function lengthIn(encoding: Encoding | undefined, text: string): number {
  return Buffer.byteLength(text, encoding === undefined || encoding === 'utf-8' ? 'utf8' : 'utf16le');
}

/** How many bytes of a piece come before the first that is no text; the piece may begin in the middle of a character. */
function readableBytes(piece: Uint8Array, encoding: Encoding | undefined, start: number): number {
  const isUtf8 = encoding === undefined || encoding === 'utf-8';
  const first = piece.findIndex((byte) => (byte & 0xc0) !== 0x80);
  const from = isUtf8 ? Math.max(0, first) : start % 2;
  const text = new TextDecoder(encoding, { ignoreBOM: true }).decode(piece.subarray(from));
  return from + lengthIn(encoding, text.split('\ufffd', 1)[0] ?? '');
}

/** What the engine has to be told of separated values, by their header line. */
function dialectOf({ head, lineEnds, hasLongNumbers }: Look, format: FileFormat): Omit<EngineFile, 'path' | 'format'> {
  const [empty = ''] = /^[\r\n]*/.exec(head) ?? [];
  if (empty.length === head.length) throw invalid('The file has no header line.');
  const rest = head.slice(empty.length).replaceAll(/"(?:[^"]|"")*"/g, '');
  const [header = ''] = rest.split(/[\r\n]/, 1);
  const counts = DELIMITERS.map((delimiter) => ({ delimiter, count: header.split(delimiter).length }));
  const { delimiter, count } =
    format === 'tsv'
      ? { delimiter: '\t', count: header.split('\t').length }
      : counts.reduce((best, next) => (next.count > best.count ? next : best));
  return {
    delimiter,
    emptyLines: empty.match(/\r\n|\r|\n/g)?.length ?? 0,
    mixedLineEnds: lineEnds.size > 1,
    hasLongNumbers,
    // A header that is not all in sight cannot be counted.
    ...((head.length < HEADER_BYTES_MAX || header.length < rest.length) && { fields: count }),
  };
}

function invalid(message: string, cause?: unknown): AppError {
  return new AppError('dataset_invalid', message, cause === undefined ? {} : { cause });
}
