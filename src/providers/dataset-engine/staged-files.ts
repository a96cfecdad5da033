import { createWriteStream } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { TextDecoder } from 'node:util';
import { AppError } from '../../kernel/errors.ts';
import type { FileFormat, SourceFile } from '../../domain/datasets/index.ts';
import { LongIntegers } from './long-integers.ts';
import type { EngineFile } from './protocol.ts';

const HEADER_BYTES_MAX = 64 * 1024;
/** A JSON array is read as one value, so it must stay within memory; rows on lines of their own need no such bound. */
const JSON_ARRAY_BYTES_MAX = 256 * 1024 * 1024;
const DELIMITERS = [',', ';', '\t', '|'];
const ESCAPED_NUL = /(?<!\\)(?:\\\\)*\\u0000/;
const TAIL_CHARACTERS = 4_096;

/**
 * Puts the content of a file where the engine can read it: as UTF-8 without a byte order mark, free of U+0000, and in
 * JSON with no whole number that the engine would round.
 */
export async function stageFile(
  { format, content }: SourceFile,
  folder: string,
  options: { readonly name: string; readonly signal?: AbortSignal; readonly onBytes: (bytes: number) => Promise<void> },
): Promise<EngineFile> {
  const file = path.join(folder, `${options.name}.${format}`);
  const look: Look = { head: '', bytes: 0 };
  const bytes = counted(content(), look, options.onBytes);
  const staged = format === 'parquet' ? bytes : plainText(bytes, format, look);
  await pipeline(Readable.from(staged), createWriteStream(file, { mode: 0o600 }), {
    ...(options.signal && { signal: options.signal }),
  });
  if (look.bytes === 0) throw invalid('The file is empty.');
  if (format === 'csv' || format === 'tsv') return { path: file, format, delimiter: delimiterOf(look.head, format) };
  if (format === 'json' && look.head.trimStart().startsWith('[') && look.bytes > JSON_ARRAY_BYTES_MAX) {
    throw invalid('A JSON array may have at most 256 MiB; write one object per line as .jsonl instead.');
  }
  return { path: file, format };
}

interface Look {
  /** The first characters of a text file. */
  head: string;
  bytes: number;
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

async function* plainText(content: AsyncIterable<Uint8Array>, format: FileFormat, look: Look): AsyncIterable<string> {
  const integers = format.startsWith('json') ? new LongIntegers() : undefined;
  let decoder: TextDecoder | undefined;
  let tail = '';
  const decode = (chunk?: Uint8Array): string => {
    try {
      return decoder?.decode(chunk, { stream: chunk !== undefined }) ?? '';
    } catch (cause) {
      throw invalid('The file is not text in UTF-8 or UTF-16.', cause);
    }
  };
  const check = (text: string): void => {
    if (look.head.length < HEADER_BYTES_MAX) look.head += text.slice(0, HEADER_BYTES_MAX - look.head.length);
    if (text.includes('\0')) throw invalid('The file holds the character U+0000, which no text may hold.');
    if (!format.startsWith('json')) return;
    const joined = tail + text;
    if (joined.includes('\\u0000') && ESCAPED_NUL.test(joined))
      throw invalid('A value holds the character U+0000, which no text may hold.');
    tail = joined.slice(-TAIL_CHARACTERS);
  };
  for await (const chunk of content) {
    decoder ??= new TextDecoder(encodingOf(chunk), { fatal: true });
    const text = decode(chunk);
    check(text);
    yield integers?.push(text) ?? text;
  }
  const rest = decode();
  check(rest);
  yield integers === undefined ? rest : integers.push(rest) + integers.end();
}

/** By its byte order mark, which the decoder then leaves out. */
function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

/** The separator that the header line holds most of, outside quotes. */
function delimiterOf(head: string, format: FileFormat): string {
  if (format === 'tsv') return '\t';
  const header = head.replaceAll(/"(?:[^"]|"")*"/g, '').split(/[\r\n]/, 1)[0] ?? '';
  const counts = DELIMITERS.map((delimiter) => ({ delimiter, count: header.split(delimiter).length }));
  return counts.reduce((best, next) => (next.count > best.count ? next : best)).delimiter;
}

function invalid(message: string, cause?: unknown): AppError {
  return new AppError('dataset_invalid', message, cause === undefined ? {} : { cause });
}
