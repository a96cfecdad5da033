import { isIP } from 'node:net';

/** Turns a setting's text into its value, or says in one clause what the text should have been. */
export type Parser<T> = (text: string) => Parsed<T>;
export type Parsed<T> = { readonly value: T } | { readonly expected: string };

export function integer(min: number, max: number): Parser<number> {
  return (text) => {
    const value = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? { value } : { expected: `a whole number from ${min} to ${max}` };
  };
}

export function text(maxLength: number): Parser<string> {
  return (value) =>
    value.length > 0 && value.length <= maxLength && !value.includes('\0')
      ? { value }
      : { expected: `1 to ${maxLength} characters of text` };
}

export function flag(): Parser<boolean> {
  return (value) => {
    if (['true', '1', 'on', 'yes'].includes(value.toLowerCase())) return { value: true };
    if (['false', '0', 'off', 'no'].includes(value.toLowerCase())) return { value: false };
    return { expected: 'true or false' };
  };
}

export function oneOf<const T extends string>(values: readonly T[]): Parser<T> {
  return (text) => {
    const value = values.find((candidate) => candidate === text);
    return value === undefined ? { expected: `one of ${values.join(', ')}` } : { value };
  };
}

/** A blank or absent setting is `undefined` instead of a fault. */
export function optional<T>(parser: Parser<T>): Parser<T | undefined> {
  return (text) => (text === '' ? { value: undefined } : parser(text));
}

export function url(protocols: readonly string[]): Parser<string> {
  const expected = `an absolute ${protocols.map((protocol) => protocol.slice(0, -1)).join(' or ')} address without user name or fragment`;
  return (text) => {
    const parsed = URL.canParse(text) ? new URL(text) : undefined;
    if (parsed === undefined || !protocols.includes(parsed.protocol)) return { expected };
    if (parsed.username !== '' || parsed.password !== '' || parsed.hash !== '') return { expected };
    return { value: text.replace(/\/+$/, '') };
  };
}

export function postgresUrl(): Parser<string> {
  return (text) => {
    const parsed = URL.canParse(text) ? new URL(text) : undefined;
    return parsed !== undefined && ['postgres:', 'postgresql:'].includes(parsed.protocol)
      ? { value: text }
      : { expected: 'an address like postgres://user:password@host:5432/database' };
  };
}

/** OAuth compares resources exactly, so the address has one spelling: the path `/api/mcp/` with its last slash. */
export function mcpServerUrl(): Parser<string> {
  const expected =
    'an https address that ends in /api/mcp/ (http only for localhost, 127.0.0.1 or [::1]), without query';
  return (text) => {
    const parsed = URL.canParse(text) ? new URL(text) : undefined;
    if (parsed === undefined || !/^\/api\/mcp\/?$/.test(parsed.pathname)) return { expected };
    const isLoopback = ['localhost', '127.0.0.1', '[::1]'].includes(parsed.hostname);
    if (parsed.protocol !== 'https:' && !(parsed.protocol === 'http:' && isLoopback)) return { expected };
    if (parsed.search !== '' || parsed.hash !== '' || parsed.username !== '' || parsed.password !== '')
      return { expected };
    return { value: `${parsed.origin}/api/mcp/` };
  };
}

/** `s3://bucket/prefix`; the prefix may be absent. */
export function bucketUrl(): Parser<{ readonly bucket: string; readonly prefix: string }> {
  const shape = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*)\/?$/;
  return (text) => {
    const [, bucket, path = ''] = shape.exec(text) ?? [];
    return bucket === undefined
      ? { expected: 'an address like s3://bucket/prefix' }
      : { value: Object.freeze({ bucket, prefix: path.slice(1) }) };
  };
}

/** Two texts in one, so that neither can be set alone. */
export function accessKey(): Parser<{ readonly accessKeyId: string; readonly secretAccessKey: string }> {
  return (text) => {
    const [, accessKeyId, secretAccessKey] = /^([^:\s]{1,128}):(\S{1,1024})$/.exec(text) ?? [];
    return accessKeyId === undefined || secretAccessKey === undefined
      ? { expected: 'an access key id and its secret, joined by a colon' }
      : { value: Object.freeze({ accessKeyId, secretAccessKey }) };
  };
}

/** Two figures in one, so that neither can be set alone. */
export function prices(): Parser<{ readonly input: number; readonly output: number }> {
  return (text) => {
    const [, input, output] = /^(\d{1,6}(?:\.\d{1,6})?):(\d{1,6}(?:\.\d{1,6})?)$/.exec(text) ?? [];
    return input === undefined || output === undefined
      ? { expected: 'two prices joined by a colon, such as 0.25:2' }
      : { value: Object.freeze({ input: Number(input), output: Number(output) }) };
  };
}

export function hostList(): Parser<readonly string[]> {
  const shape = /^(\*|\.?[a-z0-9-]+(\.[a-z0-9-]+)*|\[[0-9a-f:.]+\])$/;
  return (text) => {
    const hosts = items(text).map((item) => item.toLowerCase());
    return hosts.length > 0 && hosts.every((host) => shape.test(host))
      ? { value: Object.freeze(hosts) }
      : { expected: 'host names without port, such as example.com, .example.com, [::1] or *' };
  };
}

export function origins(): Parser<readonly string[]> {
  return (text) => {
    const list = items(text);
    return list.every(isOrigin)
      ? { value: Object.freeze(list.map((item) => new URL(item).origin)) }
      : { expected: 'origins such as https://console.example.com, without a path' };
  };
}

export function ipRanges(): Parser<readonly string[]> {
  return (text) => {
    const list = items(text);
    return list.every(isIpRange)
      ? { value: Object.freeze(list) }
      : { expected: 'IP addresses or CIDR ranges such as 10.0.0.0/8' };
  };
}

function isOrigin(item: string): boolean {
  return URL.canParse(item) && new URL(item).origin === item.replace(/\/$/, '').toLowerCase();
}

function isIpRange(item: string): boolean {
  const [address = '', bits, ...rest] = item.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

function items(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
