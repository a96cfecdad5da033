/** Lists that can be walked: the rows of all pages are one list, made up once for the arguments beside the cursor. */
import type { Node, ObjectNode } from '../canonical/node.ts';
import { isJsonArray, isJsonObject } from '../canonical/json.ts';
import type { JsonValue, ToolSpec } from '../model/types.ts';
import type { Makers } from './makers.ts';
import { withMembers } from './make-value.ts';

export type Arguments = { readonly [name: string]: JsonValue };

const CURSOR = /^mock-(\d{1,6})$/u;
const USUAL_LIMIT = 20;

/** The offset behind a cursor; undefined for a cursor that this server never gave. */
export function offsetOf(cursor: JsonValue | undefined): number | undefined {
  if (cursor === undefined) return 0;
  const digits = typeof cursor === 'string' ? CURSOR.exec(cursor)?.[1] : undefined;
  return digits === undefined ? undefined : Number(digits);
}

interface Paged {
  readonly list: string;
  readonly items: Node;
  readonly page: Node;
  readonly output: ObjectNode;
}

/** The list and the page of a tool's result, where it has both. */
export function pagedOutput(tool: ToolSpec, makers: Makers): Paged | undefined {
  const output = makers.node(`${tool.typeName}Output`);
  if (output?.kind !== 'object') return undefined;
  const page = makers.follow(output.properties.find(({ name }) => name === 'page')?.node);
  const lists = output.properties.filter(({ name, node }) => name !== 'resource_links' && node.kind === 'array');
  const [list] = lists;
  if (page?.kind !== 'object' || lists.length !== 1 || list?.node.kind !== 'array') return undefined;
  return { list: list.name, items: list.node.items, page, output };
}

export interface Walk {
  readonly rows: number;
  readonly about: string;
}

/** The page that the arguments ask for, put into a made-up result. */
export function withPage(
  paged: Paged,
  made: JsonValue,
  args: Arguments,
  { rows, about }: Walk,
  makers: Makers,
): JsonValue {
  if (!isJsonObject(made)) return made;
  const limit = typeof args['limit'] === 'number' ? args['limit'] : USUAL_LIMIT;
  const start = offsetOf(args['cursor']) ?? 0;
  const end = Math.min(start + limit, rows);
  const items: JsonValue[] = [];
  for (let index = start; index < end; index += 1) {
    const item = makers.makeNode(paged.items, makers.random(`row ${index} ${about}`));
    if (item !== undefined) items.push(item);
  }
  const more = end < rows;
  const page: Record<string, JsonValue> = { limit, has_more: more, next_cursor: more ? `mock-${end}` : null };
  const before = isJsonObject(made['page'] ?? null) ? { ...(made['page'] as Arguments) } : {};
  delete before['total'];
  const links = made['resource_links'];
  return {
    ...made,
    [paged.list]: items,
    page: withMembers(paged.page, before, page),
    ...(isJsonArray(links) ? { resource_links: links.slice(0, items.length) } : {}),
  };
}
