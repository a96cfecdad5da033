import addFormats from 'ajv-formats';
import type { FormatName } from 'ajv-formats';

/**
 * What is known about a format as a language: a pattern that matches every string of the format, exact where it
 * also matches nothing else. Anything not listed is only a test on given strings.
 */
export interface FormatLanguage {
  readonly source: string;
  readonly exact: boolean;
}

const OCTET = '(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])';
const TIME = '[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\\.[0-9]+)?(?:[zZ]|[+\\-][0-9]{2}(?::?[0-9]{2})?)';

const LANGUAGES: Readonly<Record<string, FormatLanguage>> = {
  ipv4: { source: `^(?:${OCTET}\\.){3}${OCTET}$`, exact: true },
  uuid: {
    source: '^(?:[uU][rR][nN]:[uU][uU][iI][dD]:)?[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$',
    exact: true,
  },
  'json-pointer': { source: '^(?:\\/(?:[^~\\/]|~0|~1)*)*$', exact: true },
  'relative-json-pointer': { source: '^(?:0|[1-9][0-9]*)(?:#|(?:\\/(?:[^~\\/]|~0|~1)*)*)$', exact: true },
  date: { source: '^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])$', exact: false },
  time: { source: `^${TIME}$`, exact: false },
  'date-time': { source: `^[0-9]{4}-[0-9]{2}-[0-9]{2}[tT\\s]${TIME}$`, exact: false },
  duration: { source: '^P[0-9YMWDTHS]+$', exact: false },
  email: { source: '^[\\x21-\\x7e]+@[0-9A-Za-z.\\-]+$', exact: false },
  hostname: { source: '^[0-9A-Za-z.\\-]+$', exact: false },
  ipv6: { source: '^[0-9a-fA-F:.]+$', exact: false },
};

/** Strings to try first where a format can only be tested. */
const SAMPLES: Readonly<Record<string, readonly string[]>> = {
  date: ['2024-01-31', '2020-02-29', '1999-12-01'],
  time: ['08:30:06Z', '23:59:59.5Z', '01:02:03+02:00'],
  'date-time': ['2024-01-31T08:30:06Z', '2020-02-29T23:59:59.123Z', '1999-12-01T01:02:03+02:00'],
  duration: ['P1D', 'PT36H', 'P2W', 'P1Y2M3DT4H5M6S'],
  email: ['a@example.com', 'some.one@mail.example.org'],
  hostname: ['example.com', 'a', 'www.example.org'],
  ipv6: ['::1', '2001:db8::ff00:42:8329', '::'],
  uri: ['https://example.com/', 'urn:a:b', 'mailto:a@example.com', 'http://example.com/a?b=c#d'],
  'uri-reference': ['/a', 'https://example.com/', '#b', 'a/b'],
  'uri-template': ['/a/{b}', 'https://example.com/{c}'],
  regex: ['^a+$', 'b'],
  byte: ['YQ==', 'YWJj'],
};

/** Formats on numbers are left as annotations: 2020-12 defines formats of strings only. */
const NUMERIC = new Set(['int32', 'int64', 'float', 'double']);

export function formatLanguage(name: string): FormatLanguage | undefined {
  return Object.hasOwn(LANGUAGES, name) ? LANGUAGES[name] : undefined;
}

export function formatSamples(name: string): readonly string[] {
  return Object.hasOwn(SAMPLES, name) ? (SAMPLES[name] ?? []) : [];
}

/** The very test the validators run, or undefined for a format they do not know. */
export function formatTest(name: string): ((text: string) => boolean) | undefined {
  if (NUMERIC.has(name)) return () => true;
  const format = lookUp(name);
  if (format === undefined) return undefined;
  if (typeof format === 'boolean') return () => format;
  if (format instanceof RegExp) return (text) => format.test(text);
  if (typeof format === 'function') return (text) => format(text) === true;
  if (typeof format !== 'object' || format.async === true) return undefined;
  const { validate } = format;
  if (validate instanceof RegExp) return (text) => validate.test(text);
  if (typeof validate !== 'function') return undefined;
  // because a string format's validate takes the string; number formats are answered above
  const test = validate as (text: string) => boolean | PromiseLike<boolean>;
  return (text) => test(text) === true;
}

function lookUp(name: string): ReturnType<typeof addFormats.default.get> | undefined {
  try {
    // because the table is keyed by a closed list of names, and an unknown name throws
    return addFormats.default.get(name as FormatName);
  } catch {
    return undefined;
  }
}
