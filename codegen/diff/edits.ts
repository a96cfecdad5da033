import { canonical, isObject, ownEntry, type JsonObject } from '../contain/json.ts';
import type { JsonValue } from '../model/types.ts';

/** One change to one node, on its own: the old node with nothing but this change made. */
export interface Edit {
  /** The rule without its direction. */
  readonly change: string;
  /** Its name where it breaks an output, if that is another one. */
  readonly mirror?: string;
  /** Pointer from the node. */
  readonly path: string;
  readonly result: JsonObject;
  readonly before?: JsonValue;
  readonly after?: JsonValue;
}

/** A subschema both nodes have at the same place. */
export interface Descent {
  readonly path: string;
  readonly before: JsonValue;
  readonly after: JsonValue;
  /** The old node with another schema at that place. */
  readonly place: (inner: JsonValue) => JsonObject;
}

/** Puts the keywords of one node, and only those, into another. */
function transplant(from: JsonObject, into: JsonObject, keywords: readonly string[]): JsonObject {
  const kept = Object.entries(into).filter(([keyword]) => !keywords.includes(keyword));
  const moved = Object.entries(from).filter(([keyword]) => keywords.includes(keyword));
  return Object.fromEntries([...kept, ...moved]);
}

export function differs(before: JsonObject, after: JsonObject, keywords: readonly string[]): boolean {
  return keywords.some((keyword) => text(before, keyword) !== text(after, keyword));
}

export function edit(
  nodes: { before: JsonObject; after: JsonObject },
  keywords: readonly string[],
  change: string,
): Edit {
  const [main = ''] = keywords;
  const before = ownEntry(nodes.before, main);
  const after = ownEntry(nodes.after, main);
  return {
    change,
    path: '',
    result: transplant(nodes.after, nodes.before, keywords),
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  };
}

function text(node: JsonObject, keyword: string): string {
  const value = ownEntry(node, keyword);
  return value === undefined ? '' : canonical(value);
}

export function record(node: JsonObject, keyword: string): JsonObject {
  const value = ownEntry(node, keyword);
  return isObject(value) ? value : {};
}

export function array(node: JsonObject, keyword: string): readonly JsonValue[] {
  const value = ownEntry(node, keyword);
  return Array.isArray(value) ? value : [];
}
