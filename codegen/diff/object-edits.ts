import { canonical, isObject, ownEntry, pointerStep, type JsonObject } from '../contain/json.ts';
import type { JsonValue } from '../model/types.ts';
import { array, differs, edit, record, type Descent, type Edit } from './edits.ts';
import { similarity } from './similarity.ts';

interface Nodes {
  readonly before: JsonObject;
  readonly after: JsonObject;
}

/** Names this alike, or schemas just the same, make a removal and an addition one renaming. */
const RENAMED = 0.8;

export function objectEdits(nodes: Nodes): Edit[] {
  return [...propertyEdits(nodes), ...requiredEdits(nodes), ...restEdits(nodes)];
}

export function objectDescents({ before, after }: Nodes): Descent[] {
  const found: Descent[] = [];
  for (const keyword of ['properties', 'patternProperties', 'dependentSchemas']) {
    const [was, is] = [record(before, keyword), record(after, keyword)];
    for (const [name, inner] of Object.entries(was)) {
      const other = ownEntry(is, name);
      if (other === undefined) continue;
      found.push({
        path: pointerStep(`/${keyword}`, name),
        before: inner,
        after: other,
        place: (schema) => ({ ...before, [keyword]: { ...was, [name]: schema } }),
      });
    }
  }
  for (const keyword of ['additionalProperties', 'unevaluatedProperties', 'propertyNames']) {
    const [was, is] = [ownEntry(before, keyword), ownEntry(after, keyword)];
    if (typeof was !== 'object' || typeof is !== 'object') continue;
    found.push({ path: `/${keyword}`, before: was, after: is, place: (schema) => ({ ...before, [keyword]: schema }) });
  }
  return found;
}

function propertyEdits({ before, after }: Nodes): Edit[] {
  const [was, is] = [record(before, 'properties'), record(after, 'properties')];
  const [needed, needs] = [array(before, 'required'), array(after, 'required')];
  const removed = Object.keys(was).filter((name) => !Object.hasOwn(is, name));
  const added = Object.keys(is).filter((name) => !Object.hasOwn(was, name));
  const found: Edit[] = [];
  for (const name of Object.keys(was)) {
    if (!removed.includes(name)) continue;
    const partner = added.find((other) => isRename([name, was[name]], [other, is[other]]));
    if (partner === undefined) continue;
    removed.splice(removed.indexOf(name), 1);
    added.splice(added.indexOf(partner), 1);
    const { [name]: gone = true, ...rest } = was;
    const required = needed.map((item) => (item === name && needs.includes(partner) ? partner : item));
    const kept = required.filter((item) => item !== name);
    const result = { ...before, properties: { ...rest, [partner]: is[partner] ?? gone }, required: kept };
    found.push({
      change: 'property-renamed',
      path: pointerStep('/properties', name),
      result,
      before: name,
      after: partner,
    });
  }
  for (const name of removed) {
    const { [name]: gone, ...rest } = was;
    const result = { ...before, properties: rest, required: needed.filter((item) => item !== name) };
    found.push({ change: 'property-removed', path: pointerStep('/properties', name), result, before: gone ?? true });
  }
  for (const name of added) {
    const inner = is[name] ?? true;
    const required = needs.includes(name);
    const change = !required ? 'optional' : !hasDefault(inner) ? 'required' : 'required-with-default';
    const result = {
      ...before,
      properties: { ...was, [name]: inner },
      ...(required ? { required: [...needed, name] } : {}),
    };
    found.push({ change: `property-added-${change}`, path: pointerStep('/properties', name), result, after: inner });
  }
  return found;
}

function isRename(
  [name, schema]: [string, JsonValue | undefined],
  [other, its]: [string, JsonValue | undefined],
): boolean {
  const same = canonical(schema ?? true) === canonical(its ?? true);
  return similarity(name, other) >= RENAMED || (same && similarity(name, other) >= 0.5);
}

function requiredEdits({ before, after }: Nodes): Edit[] {
  const [was, is] = [array(before, 'required'), array(after, 'required')];
  const both = (name: JsonValue): boolean =>
    typeof name === 'string' &&
    Object.hasOwn(record(before, 'properties'), name) === Object.hasOwn(record(after, 'properties'), name);
  const at = (name: JsonValue): string => pointerStep('/properties', typeof name === 'string' ? name : '');
  const more = is.filter((name) => !was.includes(name) && both(name));
  const fewer = was.filter((name) => !is.includes(name) && both(name));
  return [
    ...more.map((name) => ({
      change: 'property-became-required',
      path: at(name),
      result: { ...before, required: [...was, name] },
    })),
    ...fewer.map((name) => ({
      change: 'property-became-optional',
      path: at(name),
      result: { ...before, required: was.filter((item) => item !== name) },
    })),
  ];
}

function restEdits(nodes: Nodes): Edit[] {
  const { before, after } = nodes;
  const found: Edit[] = [];
  for (const [keyword, stem] of [
    ['additionalProperties', 'additional-properties'],
    ['unevaluatedProperties', 'unevaluated-properties'],
  ] as const) {
    const [was, is] = [ownEntry(before, keyword) ?? true, ownEntry(after, keyword) ?? true];
    if (!differs(before, after, [keyword]) || (typeof was === 'object' && typeof is === 'object')) continue;
    const how = is === false ? 'closed' : was === false && is === true ? 'opened' : 'schema-changed';
    found.push(edit(nodes, [keyword], `${stem}-${how}`));
  }
  const names = [ownEntry(before, 'propertyNames'), ownEntry(after, 'propertyNames')];
  if (differs(before, after, ['propertyNames']) && names.includes(undefined)) {
    found.push(
      edit(nodes, ['propertyNames'], names[0] === undefined ? 'property-names-tightened' : 'property-names-loosened'),
    );
  }
  for (const [keyword, stem] of [
    ['patternProperties', 'pattern-properties'],
    ['dependentSchemas', 'dependent-schema'],
    ['dependentRequired', 'dependent-required'],
  ] as const) {
    found.push(...entryEdits(nodes, keyword, stem));
  }
  return found;
}

function entryEdits({ before, after }: Nodes, keyword: string, stem: string): Edit[] {
  const [was, is] = [record(before, keyword), record(after, keyword)];
  const found: Edit[] = [];
  for (const name of new Set([...Object.keys(was), ...Object.keys(is)])) {
    const [old, fresh] = [ownEntry(was, name), ownEntry(is, name)];
    if (canonical(old ?? null) === canonical(fresh ?? null)) continue;
    // Two schemas under one name are compared from inside.
    if (old !== undefined && fresh !== undefined && keyword !== 'dependentRequired') continue;
    const how = old === undefined ? 'added' : fresh === undefined ? 'removed' : 'changed';
    const { [name]: _, ...rest } = was;
    const result = { ...before, [keyword]: fresh === undefined ? rest : { ...rest, [name]: fresh } };
    found.push({ change: `${stem}-${how}`, path: pointerStep(`/${keyword}`, name), result });
  }
  return found;
}

function hasDefault(schema: JsonValue): boolean {
  return isObject(schema) && Object.hasOwn(schema, 'default');
}
