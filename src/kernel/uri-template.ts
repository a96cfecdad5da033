import { toWellFormed } from './bounded.ts';

/** A URI split before anything is matched: the query is never part of a path variable. */
export interface SplitUri {
  /** Everything before `?`. */
  readonly path: string;
  readonly query: readonly (readonly [name: string, value: string])[];
}

/** Splits and decodes the query. Answers undefined for a fragment or a malformed escape. */
export function splitUri(uri: string): SplitUri | undefined {
  if (uri.includes('#')) return undefined;
  const mark = uri.indexOf('?');
  if (mark < 0) return { path: uri, query: [] };
  const query: [string, string][] = [];
  for (const pair of uri.slice(mark + 1).split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    const value = decode(equals < 0 ? '' : pair.slice(equals + 1));
    if (name === undefined || value === undefined) return undefined;
    query.push([name, value]);
  }
  return { path: uri.slice(0, mark), query };
}

export type TemplateMatch =
  | { readonly matched: true; readonly variables: Readonly<Record<string, string>> }
  /** `malformed`: the shape fits, an escape does not decode. */
  | { readonly matched: false; readonly malformed: boolean };

export interface UriTemplate {
  /** Names in the path, in order. */
  readonly variables: readonly string[];
  /** Names in `{?…}`. */
  readonly query: readonly string[];
  match(path: string): TemplateMatch;
  /** The inverse of `match`: every value comes back as it went in. Query values that are absent are left out. */
  expand(values: Readonly<Record<string, string | undefined>>): string;
}

type Part = { readonly literal: string } | { readonly variable: string };

/** Compiles the subset of RFC 6570 that contracts use: `{name}` inside the path and one `{?a,b}` at the end. */
export function compileUriTemplate(template: string): UriTemplate {
  const queryMark = template.indexOf('{?');
  const pathText = queryMark < 0 ? template : template.slice(0, queryMark);
  const query = queryMark < 0 ? [] : template.slice(queryMark + 2, -1).split(',');
  const parts = splitTemplate(pathText);
  const variables = parts.flatMap((part) => ('variable' in part ? [part.variable] : []));
  const pattern = new RegExp(
    `^${parts.map((part) => ('literal' in part ? escapePattern(part.literal) : '([^/?#]+)')).join('')}$`,
    'u',
  );
  return {
    variables,
    query,
    match: (path) => matchPath(pattern, variables, path),
    expand: (values) => expandParts(parts, values) + expandQuery(query, values),
  };
}

function splitTemplate(template: string): Part[] {
  const parts: Part[] = [];
  for (const piece of template.split(/(\{[A-Za-z0-9_]+\})/)) {
    if (piece === '') continue;
    parts.push(/^\{.+\}$/.test(piece) ? { variable: piece.slice(1, -1) } : { literal: piece });
  }
  return parts;
}

function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

function matchPath(pattern: RegExp, names: readonly string[], path: string): TemplateMatch {
  const match = pattern.exec(path);
  if (match === null) return { matched: false, malformed: false };
  const variables: Record<string, string> = {};
  for (const [index, name] of names.entries()) {
    const value = decode(match[index + 1] ?? '');
    if (value === undefined) return { matched: false, malformed: true };
    variables[name] = value;
  }
  return { matched: true, variables };
}

function expandParts(parts: readonly Part[], values: Readonly<Record<string, string | undefined>>): string {
  return parts
    .map((part) => {
      if ('literal' in part) return part.literal;
      const value = values[part.variable];
      if (value === undefined || value === '') throw new RangeError(`no value for {${part.variable}}`);
      return encodeUriPart(value);
    })
    .join('');
}

function expandQuery(names: readonly string[], values: Readonly<Record<string, string | undefined>>): string {
  const pairs = names.flatMap((name) => {
    const value = values[name];
    return value === undefined ? [] : [`${encodeUriPart(name)}=${encodeUriPart(value)}`];
  });
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/** Percent-encodes everything but unreserved characters. */
function encodeUriPart(value: string): string {
  return encodeURIComponent(toWellFormed(value)).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Sets one query parameter of a URI and leaves the rest as it is written. */
export function withQuery(uri: string, name: string, value: string): string {
  const mark = uri.indexOf('?');
  const pair = `${encodeUriPart(name)}=${encodeUriPart(value)}`;
  if (mark < 0) return `${uri}?${pair}`;
  const others = uri
    .slice(mark + 1)
    .split('&')
    .filter((item) => item !== '' && item !== name && !item.startsWith(`${name}=`));
  return `${uri.slice(0, mark)}?${[...others, pair].join('&')}`;
}

function decode(text: string): string | undefined {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
