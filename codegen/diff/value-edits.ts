import { canonical, ownEntry, type JsonObject } from '../contain/json.ts';
import type { JsonValue } from '../model/types.ts';
import { differs, edit, type Edit } from './edits.ts';

interface Nodes {
  readonly before: JsonObject;
  readonly after: JsonObject;
}

/** Changes of keywords that look at one value alone. */
export function valueEdits(nodes: Nodes): Edit[] {
  return [...typeEdits(nodes), ...memberEdits(nodes), ...boundEdits(nodes), ...presenceEdits(nodes)];
}

function typeEdits(nodes: Nodes): Edit[] {
  if (!differs(nodes.before, nodes.after, ['type'])) return [];
  const was = types(nodes.before);
  const is = types(nodes.after);
  if (is === undefined) return [edit(nodes, ['type'], 'type-constraint-removed')];
  if (was === undefined) return [edit(nodes, ['type'], 'type-narrowed')];
  const gained = is.filter((type) => !covers(was, type));
  const lost = was.filter((type) => !covers(is, type));
  if (gained.join() === 'null' && lost.length === 0) return [edit(nodes, ['type', 'enum'], 'nullable-added')];
  if (lost.join() === 'null' && gained.length === 0) return [edit(nodes, ['type', 'enum'], 'nullable-removed')];
  if (gained.length > 0 && lost.length > 0) return [edit(nodes, ['type'], 'type-changed')];
  return [edit(nodes, ['type'], gained.length > 0 ? 'type-widened' : 'type-narrowed')];
}

function types(node: JsonObject): readonly string[] | undefined {
  const type = ownEntry(node, 'type');
  if (type === undefined) return undefined;
  return (Array.isArray(type) ? type : [type]).map(String);
}

function covers(set: readonly string[], type: string): boolean {
  return set.includes(type) || (type === 'integer' && set.includes('number'));
}

function memberEdits(nodes: Nodes): Edit[] {
  const keywords = ['enum', 'const'];
  if (!differs(nodes.before, nodes.after, keywords)) return [];
  const was = members(nodes.before);
  const is = members(nodes.after);
  const single = Object.hasOwn(nodes.before, 'const') || Object.hasOwn(nodes.after, 'const');
  if (was === undefined) return [edit(nodes, keywords, single ? 'const-added' : 'enum-introduced')];
  if (is === undefined) return [edit(nodes, keywords, single ? 'const-removed' : 'enum-dropped')];
  const lost = was.filter((member) => !is.includes(member));
  const gained = is.filter((member) => !was.includes(member));
  if (was.length === 1 && is.length === 1 && single) return [edit(nodes, keywords, 'const-changed')];
  const found: Edit[] = [];
  const only = (change: string, kept: readonly string[]): void => {
    const values = kept.map((member) => JSON.parse(member) as JsonValue);
    const { const: _, ...rest } = nodes.before;
    found.push({ ...edit(nodes, keywords, change), result: { ...rest, enum: values } });
  };
  if (lost.length > 0)
    only(
      'enum-value-removed',
      was.filter((member) => is.includes(member)),
    );
  if (gained.length > 0) only('enum-value-added', [...was, ...gained]);
  return found;
}

function members(node: JsonObject): string[] | undefined {
  const list = ownEntry(node, 'enum');
  const only = ownEntry(node, 'const');
  if (only !== undefined) return [canonical(only)];
  return Array.isArray(list) ? list.map((member: JsonValue) => canonical(member)) : undefined;
}

/** Bounds: keywords that move one edge of the accepted values, and the names of moving it up and down. */
const BOUNDS: readonly (readonly [keywords: readonly string[], up: string, down: string, none: number])[] = [
  [['minimum', 'exclusiveMinimum'], 'minimum-raised', 'minimum-lowered', -Infinity],
  [['maximum', 'exclusiveMaximum'], 'maximum-raised', 'maximum-lowered', Infinity],
  [['minLength'], 'min-length-raised', 'min-length-lowered', 0],
  [['maxLength'], 'max-length-raised', 'max-length-lowered', Infinity],
  [['minItems'], 'min-items-raised', 'min-items-lowered', 0],
  [['maxItems'], 'max-items-raised', 'max-items-lowered', Infinity],
  [['minProperties'], 'min-properties-tightened', 'min-properties-loosened', 0],
  [['maxProperties'], 'max-properties-loosened', 'max-properties-tightened', Infinity],
];

function boundEdits(nodes: Nodes): Edit[] {
  return BOUNDS.flatMap(([keywords, up, down, none]) => {
    if (!differs(nodes.before, nodes.after, keywords)) return [];
    const was = edge(nodes.before, keywords, none);
    const is = edge(nodes.after, keywords, none);
    return [edit(nodes, keywords, is > was ? up : down)];
  });
}

/** The edge as one number; an exclusive bound lies a hair inside. */
function edge(node: JsonObject, [plain = '', exclusive = '']: readonly string[], none: number): number {
  const closed = ownEntry(node, plain);
  const open = ownEntry(node, exclusive);
  const low = none < 0;
  const candidates: number[] = [];
  if (typeof closed === 'number') candidates.push(closed);
  if (typeof open === 'number') candidates.push(open + (low ? 1 : -1) * Number.EPSILON * Math.max(1, Math.abs(open)));
  if (candidates.length === 0) return none;
  return low ? Math.max(...candidates) : Math.min(...candidates);
}

/** Keywords that are there, gone, or different. */
const PRESENCE: readonly (readonly [keywords: readonly string[], stem: string])[] = [
  [['multipleOf'], 'multiple-of'],
  [['pattern'], 'pattern'],
  [['format'], 'format'],
  [['uniqueItems'], 'unique-items'],
  [['not'], 'not'],
  [['if', 'then', 'else'], 'if-then-else'],
];

function presenceEdits(nodes: Nodes): Edit[] {
  return PRESENCE.flatMap(([keywords, stem]) => {
    if (!differs(nodes.before, nodes.after, keywords)) return [];
    const has = (node: JsonObject): boolean =>
      keywords.some((keyword) => Object.hasOwn(node, keyword) && node[keyword] !== false);
    const how = !has(nodes.before) ? 'added' : has(nodes.after) ? 'changed' : 'removed';
    return [edit(nodes, keywords, `${stem}-${how}`)];
  });
}
