import type { IncomingMessage } from 'node:http';
import { DEFAULT_MAX_DEPTH, JsonFault, parseJson, type ParsedJson } from '../kernel/json.ts';
import { Refusal } from './refusal.ts';

export interface BodyLimits {
  readonly maxBytes: number;
  /** For the whole body, from the moment somebody asks for it. */
  readonly timeoutMs: number;
}

export const DEFAULT_BODY_LIMITS: BodyLimits = { maxBytes: 4 * 1024 * 1024, timeoutMs: 15_000 };

/** How much of a refused body is thrown away to keep the connection usable; more than that closes it. */
const DRAIN_BYTES = 16 * 1024 * 1024;

export function tooLarge(maxBytes: number): Refusal {
  return new Refusal(413, 'invalid_request', `The body is larger than ${maxBytes} bytes.`);
}

/** Whether the request says of itself that it is too large; nothing has to be read to know. */
export function declaresTooMuch(request: IncomingMessage, maxBytes: number): boolean {
  const declared = request.headers['content-length'];
  return declared !== undefined && Number(declared) > maxBytes;
}

/** Reads the body and counts what arrives, since a chunked request declares nothing. Throws `Refusal`. */
export function readBody(request: IncomingMessage, limits: BodyLimits): Buffer | Promise<Buffer> {
  return hasArrived(request) ? takeBody(request, limits) : awaitBody(request, limits);
}

/** A small body usually arrives with its headers: it lies in the stream already and needs no events. */
function hasArrived(request: IncomingMessage): boolean {
  if (request.readableFlowing) return false;
  if (request.complete) return true;
  const declared = request.headers['content-length'];
  return declared !== undefined && request.readableLength > 0 && request.readableLength === Number(declared);
}

function takeBody(request: IncomingMessage, limits: BodyLimits): Buffer {
  if (request.readableLength > limits.maxBytes) throw tooLarge(limits.maxBytes);
  const body: unknown = request.read();
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}

function awaitBody(request: IncomingMessage, limits: BodyLimits): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let first: Buffer | undefined;
    let chunks: Buffer[] | undefined;
    let size = 0;
    const timer = setTimeout(() => {
      const message = `The body did not arrive within ${limits.timeoutMs} ms.`;
      fail(new Refusal(408, 'invalid_request', message, { headers: { connection: 'close' } }));
    }, limits.timeoutMs);
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > limits.maxBytes) fail(tooLarge(limits.maxBytes));
      else if (first === undefined) first = chunk;
      else (chunks ??= [first]).push(chunk);
    };
    const onEnd = (): void => {
      settle();
      resolve(chunks === undefined ? (first ?? Buffer.alloc(0)) : Buffer.concat(chunks, size));
    };
    const onClose = (): void => fail(new Refusal(400, 'invalid_request', 'The body ended before it was complete.'));
    const settle = (): void => {
      clearTimeout(timer);
      request.off('data', onData).off('end', onEnd).off('error', onClose).off('close', onClose);
    };
    const fail = (refusal: Refusal): void => {
      settle();
      reject(refusal);
    };
    request.on('data', onData).on('end', onEnd).on('error', onClose).on('close', onClose);
  });
}

/**
 * Lets the rest of a refused body run out unseen: the answer is already on its way, and the next request on this
 * connection must find its beginning. A sender that does not stop loses the connection.
 */
export function drain(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > DRAIN_BYTES) request.socket.destroy();
  });
  request.on('error', () => undefined);
  request.resume();
}

/** Parses a body as JSON within the depth limit. Throws `Refusal` in our own words. */
export function parseBody(body: Buffer, maxDepth: number = DEFAULT_MAX_DEPTH): ParsedJson {
  try {
    return parseJson(body, maxDepth);
  } catch (error) {
    if (error instanceof JsonFault)
      throw new Refusal(400, 'invalid_request', error.message, { fields: { reason: error.reason } });
    throw error;
  }
}
