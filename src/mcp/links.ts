import { withQuery } from '../kernel/uri-template.ts';
import type { WireSchema } from './contract.ts';
import { isObject } from './protocol.ts';

export interface ResourceLink {
  readonly uri: string;
  readonly title: string;
  readonly mimeType: string;
}

const LONGEST_URI = 512;

/** Where links can stand in a value, as its schema says. Free-form parts have no entry: what stands there is data. */
export interface LinkMap {
  readonly link: boolean;
  readonly members: ReadonlyMap<string, LinkMap>;
  readonly items: LinkMap | undefined;
}

const NOWHERE: LinkMap = { link: false, members: new Map(), items: undefined };

/** Reads from an output schema where resource links stand; undefined when it has none. */
export function findLinks(schema: WireSchema): LinkMap | undefined {
  const map = mapSchema(schema, 0);
  return isEmpty(map) ? undefined : map;
}

function mapSchema(schema: unknown, depth: number): LinkMap {
  if (!isObject(schema) || depth > 16) return NOWHERE;
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  if (['uri', 'title', 'mimeType'].every((name) => Object.hasOwn(properties, name))) {
    return { link: true, members: new Map(), items: undefined };
  }
  const members = new Map<string, LinkMap>();
  for (const [name, member] of Object.entries(properties)) {
    const map = mapSchema(member, depth + 1);
    if (!isEmpty(map)) members.set(name, map);
  }
  const items = mapSchema(schema['items'], depth + 1);
  return mergeBranches({ link: false, members, items: isEmpty(items) ? undefined : items }, schema, depth);
}

function mergeBranches(map: LinkMap, schema: Record<string, unknown>, depth: number): LinkMap {
  let merged = map;
  for (const keyword of ['allOf', 'anyOf', 'oneOf'] as const) {
    const branches = schema[keyword];
    if (!Array.isArray(branches)) continue;
    for (const branch of branches) merged = merge(merged, mapSchema(branch, depth + 1));
  }
  return merged;
}

function merge(a: LinkMap, b: LinkMap): LinkMap {
  if (isEmpty(b)) return a;
  const members = new Map(a.members);
  for (const [name, map] of b.members) members.set(name, merge(members.get(name) ?? NOWHERE, map));
  return {
    link: a.link || b.link,
    members,
    items: b.items === undefined ? a.items : merge(a.items ?? NOWHERE, b.items),
  };
}

function isEmpty(map: LinkMap): boolean {
  return !map.link && map.members.size === 0 && map.items === undefined;
}

/** Links that a client should see as content of their own: `resource` and `resource_links`, first title per URI. */
export function collectLinks(value: unknown, map: LinkMap, isLinkUri: (uri: string) => boolean): ResourceLink[] {
  const found = new Map<string, ResourceLink>();
  const visit = (node: unknown, at: LinkMap, named: boolean): void => {
    if (Array.isArray(node)) {
      if (at.items !== undefined) for (const item of node) visit(item, at.items, named);
    } else if (isObject(node)) {
      if (at.link) {
        if (named && isLink(node, isLinkUri) && !found.has(node.uri)) found.set(node.uri, node);
        return;
      }
      for (const [name, next] of at.members) visit(node[name], next, name === 'resource' || name === 'resource_links');
    }
  };
  visit(value, map, false);
  return [...found.values()];
}

function isLink(
  node: Record<string, unknown>,
  isLinkUri: (uri: string) => boolean,
): node is Record<string, unknown> & ResourceLink {
  const { uri, title, mimeType } = node;
  return (
    typeof uri === 'string' &&
    uri.length <= LONGEST_URI &&
    !/\s/.test(uri) &&
    isLinkUri(uri) &&
    typeof title === 'string' &&
    typeof mimeType === 'string'
  );
}

/** A copy whose links name the project, for callers whose credential does not imply it. */
export function qualifyLinks(
  value: unknown,
  map: LinkMap,
  projectId: string,
  isLinkUri: (uri: string) => boolean,
): unknown {
  if (Array.isArray(value)) {
    const items = map.items;
    return items === undefined ? value : value.map((item) => qualifyLinks(item, items, projectId, isLinkUri));
  }
  if (!isObject(value)) return value;
  if (map.link) {
    const uri = value['uri'];
    return typeof uri === 'string' && isLinkUri(uri)
      ? { ...value, uri: withQuery(uri, 'project_id', projectId) }
      : value;
  }
  const copy = { ...value };
  for (const [name, next] of map.members) {
    if (Object.hasOwn(copy, name)) copy[name] = qualifyLinks(copy[name], next, projectId, isLinkUri);
  }
  return copy;
}

/**
 * The same for a resource payload, whose schema is not published: its own `uri`, and objects that are exactly a
 * link. Other strings that begin with the scheme are data and stay.
 */
export function qualifyPayload(
  value: unknown,
  projectId: string,
  isLinkUri: (uri: string) => boolean,
  depth = 0,
): unknown {
  if (depth > 16) return value;
  if (Array.isArray(value)) return value.map((item) => qualifyPayload(item, projectId, isLinkUri, depth + 1));
  if (!isObject(value)) return value;
  const { uri } = value;
  const own = depth === 0 && typeof uri === 'string' && isLinkUri(uri);
  const exact = Object.keys(value).length === 3 && isLink(value, isLinkUri);
  const entries = Object.entries(value).map(([name, item]): [string, unknown] => [
    name,
    name === 'uri' && (own || exact)
      ? withQuery(String(item), 'project_id', projectId)
      : qualifyPayload(item, projectId, isLinkUri, depth + 1),
  ]);
  return Object.fromEntries(entries);
}
