import { AppError } from '../../kernel/errors.ts';

/** A value the driver can bind. */
export type Binding = string | number | boolean | null | Date;

/** Conditions of one `where`, joined by `and`, with their bindings in the order of the text. */
export class SqlConditions {
  readonly #texts: string[] = [];
  readonly #bindings: Binding[] = [];

  /** Adds `text` unless its value is absent; `text` has one `?`, or `bindings` names them all. */
  add(text: string, value: Binding | undefined, bindings?: readonly Binding[]): this {
    if (value === undefined) return this;
    this.#texts.push(text);
    this.#bindings.push(...(bindings ?? [value]));
    return this;
  }

  /** Adds a condition without values. */
  when(isWanted: boolean | undefined, text: string): this {
    if (isWanted === true) this.#texts.push(text);
    return this;
  }

  /** One of two conditions, or none when the question is not asked. */
  either(answer: boolean | undefined, yes: string, no: string): this {
    if (answer !== undefined) this.#texts.push(answer ? yes : no);
    return this;
  }

  get text(): string {
    return this.#texts.join(' and ');
  }

  get bindings(): readonly Binding[] {
    return this.#bindings;
  }
}

/** Milliseconds of the wire as the nanoseconds of the store. */
export function nanosOfMs(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : BigInt(Math.round(ms * 1_000_000)).toString();
}

/** A bound in nanoseconds that the column can be compared with: no span lies beyond what the column can hold. */
export function storableNanos(nanos: string | undefined): string | undefined {
  if (nanos === undefined) return undefined;
  const value = BigInt(nanos);
  return (value > MAX_NANOS ? MAX_NANOS : value).toString();
}

const MAX_NANOS = 9_223_372_036_854_775_807n;

/**
 * An instant as a span's times count it. One that no span can have is the nearest beyond all that it can: later than the
 * column holds is as late as it can hold, and earlier than 1970 is before everything.
 */
export const NANOS_OF_INSTANT = `greatest(-1, least(extract(epoch from ?::timestamptz) * 1000000000, 9223372036854775807))::bigint`;

const INSTANT = /^(\d{4}-\d{2}-\d{2})[Tt\s](\d{2}:\d{2}):(\d{2})(?:\.(\d+))?(.+)$/;

/**
 * An RFC 3339 text as the database reads it: in UTC, to the microsecond. The standard allows offsets, leap seconds and
 * years that the database refuses; those become the nearest instant it knows.
 */
export function storableInstant(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const [, day, minute, second, fraction = '', offset = 'Z'] = INSTANT.exec(text) ?? [];
  const isLeap = second === '60';
  const utc = new Date(`${day}T${minute}:${isLeap ? '59' : second}${offset.toUpperCase()}`);
  if (Number.isNaN(utc.getTime())) {
    throw new AppError('invalid_filter', 'A time must be RFC 3339 with an offset, such as 2026-02-07T00:00:00Z.');
  }
  if (utc.getTime() < EARLIEST_MS) return '0001-01-01T00:00:00Z';
  if (utc.getTime() > LATEST_MS) return '9999-12-31T23:59:59Z';
  const micros = isLeap ? '999999' : fraction.padEnd(6, '0').slice(0, 6);
  return `${utc.toISOString().slice(0, 19)}.${micros}Z`;
}

/** 0001-01-01 and 9999-12-31, in UTC. */
const EARLIEST_MS = -62_135_596_800_000;
const LATEST_MS = 253_402_300_799_000;
