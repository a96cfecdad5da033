import { Reader } from 'protobufjs/minimal.js';

/** What is read of one message, by tag: the field's number and its wire type, as they stand before it. */
type Fields<M> = ReadonlyMap<number, (message: M, reader: Reader, depth: number) => void>;
type Message = Record<string, unknown>;

const VARINT = 0;
const FIXED64 = 1;
const DELIMITED = 2;
/**
 * Far from the end of the stack, and deeper than a value may be: values alone nest, and a span with one whose inner part
 * is left out here is refused for its depth.
 */
const DEPTH_MAX = 100;

/**
 * An `ExportTraceServiceRequest` as plain objects with the names of the JSON mapping. Written by hand for speed: a
 * message made by a generated decoder would be walked once more to become plain, and ids and times would be made twice.
 * Unknown fields, and known ones of another wire type, are skipped. Throws what the reader throws for broken bytes.
 */
export function decodeExportRequest(bytes: Buffer): Message {
  return read(Reader.create(bytes), bytes.length, REQUEST, 0);
}

function read<M extends Message>(reader: Reader, end: number, fields: Fields<M>, depth: number): M {
  if (depth > DEPTH_MAX) reader.pos = end;
  // because every field of the messages read here is optional
  const message = {} as M;
  while (reader.pos < end) {
    const tag = reader.uint32();
    const field = fields.get(tag);
    if (field === undefined) reader.skipType(tag & 7);
    else field(message, reader, depth);
  }
  if (reader.pos !== end) throw new RangeError('a message is longer than it says');
  return message;
}

function nested(reader: Reader, fields: Fields<Message>, depth: number): Message {
  const length = reader.uint32();
  return read(reader, reader.pos + length, fields, depth + 1);
}

const tagOf = (field: number, wireType: number): number => (field << 3) | wireType;
const NANOS_HIGH = 4_294_967_296n;

type Field = [number, (message: Message, reader: Reader, depth: number) => void];

function text(field: number, name: string): Field {
  return [tagOf(field, DELIMITED), (message, reader) => (message[name] = reader.string())];
}

function hexadecimal(field: number, name: string): Field {
  return [
    tagOf(field, DELIMITED),
    (message, reader) => {
      const bytes = reader.bytes();
      // because the reader of a Buffer gives Buffers
      message[name] = (bytes as Buffer).toString('hex');
    },
  ];
}

function int32(field: number, name: string): Field {
  return [tagOf(field, VARINT), (message, reader) => (message[name] = reader.int32())];
}

function nanos(field: number, name: string): Field {
  return [
    tagOf(field, FIXED64),
    (message, reader) => {
      const low = reader.fixed32();
      message[name] = BigInt(reader.fixed32()) * NANOS_HIGH + BigInt(low);
    },
  ];
}

function one(field: number, name: string, fields: () => Fields<Message>): Field {
  return [
    tagOf(field, DELIMITED),
    // A message that comes twice is one message: the later fields are added to the earlier ones.
    (message, reader, depth) => {
      const part = nested(reader, fields(), depth);
      message[name] = message[name] === undefined ? part : Object.assign(Object(message[name]), part);
    },
  ];
}

function many(field: number, name: string, fields: () => Fields<Message>): Field {
  return [
    tagOf(field, DELIMITED),
    (message, reader, depth) => {
      const item = nested(reader, fields(), depth);
      const items = message[name];
      if (Array.isArray(items)) items.push(item);
      else message[name] = [item];
    },
  ];
}

/** A member of a `oneof`: the last one wins. */
function choice(
  field: number,
  wireType: number,
  name: string,
  valueOf: (reader: Reader, depth: number) => unknown,
): Field {
  return [
    tagOf(field, wireType),
    (message, reader, depth) => {
      for (const key of Object.keys(message)) delete message[key];
      message[name] = valueOf(reader, depth);
    },
  ];
}

const VALUE: Fields<Message> = new Map([
  choice(1, DELIMITED, 'stringValue', (reader) => reader.string()),
  choice(2, VARINT, 'boolValue', (reader) => reader.bool()),
  choice(3, VARINT, 'intValue', (reader) => exactInteger(reader)),
  choice(4, FIXED64, 'doubleValue', (reader) => reader.double()),
  choice(5, DELIMITED, 'arrayValue', (reader, depth) => nested(reader, ARRAY, depth)),
  choice(6, DELIMITED, 'kvlistValue', (reader, depth) => nested(reader, ENTRIES, depth)),
  choice(7, DELIMITED, 'bytesValue', (reader) => reader.bytes()),
]);
const ENTRY: Fields<Message> = new Map([text(1, 'key'), one(2, 'value', () => VALUE)]);
const ARRAY: Fields<Message> = new Map([many(1, 'values', () => VALUE)]);
const ENTRIES: Fields<Message> = new Map([many(1, 'values', () => ENTRY)]);
const STATUS: Fields<Message> = new Map([text(2, 'message'), int32(3, 'code')]);
const EVENT: Fields<Message> = new Map([nanos(1, 'timeUnixNano'), text(2, 'name'), many(3, 'attributes', () => ENTRY)]);
const LINK: Fields<Message> = new Map([
  hexadecimal(1, 'traceId'),
  hexadecimal(2, 'spanId'),
  many(4, 'attributes', () => ENTRY),
]);
const SPAN: Fields<Message> = new Map([
  hexadecimal(1, 'traceId'),
  hexadecimal(2, 'spanId'),
  hexadecimal(4, 'parentSpanId'),
  text(5, 'name'),
  int32(6, 'kind'),
  nanos(7, 'startTimeUnixNano'),
  nanos(8, 'endTimeUnixNano'),
  many(9, 'attributes', () => ENTRY),
  many(11, 'events', () => EVENT),
  many(13, 'links', () => LINK),
  one(15, 'status', () => STATUS),
]);
const SCOPE: Fields<Message> = new Map([text(1, 'name'), text(2, 'version')]);
const SCOPE_SPANS: Fields<Message> = new Map([one(1, 'scope', () => SCOPE), many(2, 'spans', () => SPAN)]);
const RESOURCE: Fields<Message> = new Map([many(1, 'attributes', () => ENTRY)]);
const RESOURCE_SPANS: Fields<Message> = new Map([
  one(1, 'resource', () => RESOURCE),
  many(2, 'scopeSpans', () => SCOPE_SPANS),
]);
const REQUEST: Fields<Message> = new Map([many(1, 'resourceSpans', () => RESOURCE_SPANS)]);

/** Integers beyond 2^53 stay exact as text. */
function exactInteger(reader: Reader): number | string {
  const value = reader.int64();
  if (typeof value === 'number') return value;
  const low = value.low >>> 0;
  const number = value.high * 4_294_967_296 + low;
  return Number.isSafeInteger(number) ? number : ((BigInt(value.high) << 32n) | BigInt(low)).toString();
}
