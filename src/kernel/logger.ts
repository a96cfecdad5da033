import { clip } from './bounded.ts';
import { systemClock, type Clock } from './clock.ts';
import { createRedactor } from './redact.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';
export type LogFields = Readonly<Record<string, unknown>>;

/** Structured log. Messages are fixed sentences; whatever varies goes into the fields. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** Whether a line of this level gets written; for callers who would do work only to have it thrown away. */
  writes(level: Exclude<LogLevel, 'silent'>): boolean;
  /** A logger that adds these fields to every line. */
  child(fields: LogFields): Logger;
}

export interface LoggerOptions {
  readonly level?: LogLevel;
  readonly clock?: Clock;
  /** Takes one finished line with its newline. Standard error by default: standard output is for data. */
  readonly write?: (line: string) => void;
  readonly fields?: LogFields;
}

const RANK: Readonly<Record<LogLevel, number>> = { debug: 10, info: 20, warn: 30, error: 40, silent: 100 };
const TEXT_MAX = 4_000;
/** No secret that can be told by its shape is shorter. */
const SECRET_MIN = 12;
const DEPTH_MAX = 6;
const ITEMS_MAX = 50;
const CAUSES_MAX = 4;
const HIDDEN = '[hidden]';
const redactor = createRedactor();

/** Compared with a key in lower case and without separators. */
const SECRET_KEYS: ReadonlySet<string> = new Set([
  'authorization',
  'proxyauthorization',
  'cookie',
  'setcookie',
  'xapikey',
  'apikey',
  'apikeys',
  'password',
  'passwd',
  'passphrase',
  'secret',
  'clientsecret',
  'token',
  'accesstoken',
  'refreshtoken',
  'idtoken',
  'sessiontoken',
  'bearertoken',
  'csrftoken',
  'codeverifier',
  'privatekey',
  'secretkey',
  'signingkey',
  'encryptionkey',
  'databaseurl',
  'connectionstring',
  'credential',
  'credentials',
]);

export function createLogger(options: LoggerOptions = {}): Logger {
  const {
    level = 'info',
    clock = systemClock,
    write = (line) => void process.stderr.write(line),
    fields = {},
  } = options;
  const log = (lineLevel: Exclude<LogLevel, 'silent'>) => {
    if (RANK[lineLevel] < RANK[level]) return () => undefined;
    return (message: string, extra?: LogFields): void => {
      const head = { time: clock.now().toISOString(), level: lineLevel, message };
      write(`${JSON.stringify({ ...head, ...describeFields({ ...fields, ...extra }) })}\n`);
    };
  };
  return {
    debug: log('debug'),
    info: log('info'),
    warn: log('warn'),
    error: log('error'),
    writes: (lineLevel) => RANK[lineLevel] >= RANK[level],
    child: (more) => createLogger({ level, clock, write, fields: { ...fields, ...more } }),
  };
}

function describeFields(fields: LogFields): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [key, isSecret(key) ? HIDDEN : describe(value, 1)]),
  );
}

function describe(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return describeText(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'function' || typeof value === 'symbol') return `[${typeof value}]`;
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Error) return describeError(value, 1);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'invalid date' : value.toISOString();
  if (value instanceof Uint8Array) return `[${value.byteLength} bytes]`;
  if (depth >= DEPTH_MAX) return '[deeper]';
  if (Array.isArray(value)) return value.slice(0, ITEMS_MAX).map((item) => describe(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, ITEMS_MAX)
      .map(([key, item]) => [key, isSecret(key) ? HIDDEN : describe(item, depth + 1)]),
  );
}

/** Without secrets of a known shape: words of providers and programs repeat what they were sent. */
function describeText(text: string): string {
  if (text.length < SECRET_MIN) return text;
  // What lies across the cut is seen whole.
  const clean = redactor.text(text.slice(0, 2 * TEXT_MAX));
  return clean.length > TEXT_MAX ? `${clip(clean, TEXT_MAX)}…` : clean;
}

/** An error's own words and its chain of causes; other properties may carry row values or requests and stay out. */
function describeError(error: Error, depth: number): Record<string, unknown> {
  const code: unknown = 'code' in error ? error.code : undefined;
  return {
    name: error.name,
    message: describe(error.message, 1),
    ...(typeof code === 'string' ? { code } : {}),
    ...(error.stack === undefined ? {} : { stack: describe(error.stack, 1) }),
    ...(error.cause instanceof Error && depth < CAUSES_MAX ? { cause: describeError(error.cause, depth + 1) } : {}),
  };
}

function isSecret(key: string): boolean {
  return SECRET_KEYS.has(key.toLowerCase().replaceAll(/[^a-z0-9]/g, ''));
}
