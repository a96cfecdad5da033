import { isAscii, isUtf8 } from 'node:buffer';
import { AppError } from '../../kernel/errors.ts';
import { mapOutsideStrings } from '../../kernel/json-outside.ts';
import type { OtlpCodec } from './otlp-codec.ts';

/** OTLP in its JSON mapping. */
export const otlpJson: OtlpCodec = {
  contentType: 'application/json',
  decodeRequest(body) {
    if (body[0] === 0x1f && body[1] === 0x8b) {
      throw new AppError('invalid_request', 'The body is gzip: send Content-Encoding: gzip with it.');
    }
    if (!isUtf8(body)) throw new AppError('invalid_request', 'The body is not UTF-8 text.');
    try {
      // Plain ASCII is copied, not decoded: four times as fast, and most telemetry is.
      return parseExactJson(isAscii(body) ? body.toString('latin1') : body.toString('utf8'));
    } catch (cause) {
      throw new AppError('invalid_request', 'The body is not valid JSON.', { cause });
    }
  },
  encodeAnswer({ rejectedSpans, message }) {
    // 64-bit numbers are strings in the JSON mapping.
    const partialSuccess = { rejectedSpans: String(rejectedSpans), errorMessage: message };
    return Buffer.from(JSON.stringify(rejectedSpans === 0 && message === '' ? {} : { partialSuccess }));
  },
  encodeStatus({ code, message }) {
    return Buffer.from(JSON.stringify({ code, message }));
  },
};

/**
 * JSON.parse rounds integers beyond 2^53, and some exporters send nanoseconds as bare numbers. Such numbers are
 * quoted before parsing, which OTLP's JSON mapping allows for every 64-bit field.
 */
function parseExactJson(text: string): unknown {
  return JSON.parse(mayHoldLongIntegers(text) ? mapOutsideStrings(text, quoteLongIntegers) : text);
}

const LONG_INTEGER = /(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g;
const HINT = /[[:,]\s*-?\d{16}/;

function mayHoldLongIntegers(text: string): boolean {
  return HINT.test(text);
}

function quoteLongIntegers(outside: string): string {
  return outside.replace(LONG_INTEGER, '"$&"');
}
