import type { Form } from './form.ts';
import { isObject, ownEntry, type JsonObject } from './json.ts';
import type { SchemaReader, Site } from './reading.ts';

/** Keywords that look at properties. */
export function objectAssertions(compiler: SchemaReader, site: Site, schema: JsonObject): Form[] {
  const { forge } = compiler;
  const parts: Form[] = [];
  const given = (form: Form): number => parts.push(forge.given('object', form));
  for (const [name, value] of maps(schema, 'properties')) {
    given(forge.each(forge.values([name]), compiler.form(compiler.sub(site, value, 'properties', name))));
  }
  for (const [source, value] of maps(schema, 'patternProperties')) {
    compiler.see(`pattern:${source}`, site, 'patternProperties');
    given(forge.each(forge.pattern(source), compiler.form(compiler.sub(site, value, 'patternProperties', source))));
  }
  const additional = ownEntry(schema, 'additionalProperties');
  if (additional !== undefined) {
    const form = compiler.form(compiler.sub(site, additional, 'additionalProperties'));
    given(forge.each(forge.not(declaredNames(compiler, schema)), form));
  }
  const names = ownEntry(schema, 'propertyNames');
  if (names !== undefined) {
    given(forge.each(forge.not(compiler.form(compiler.sub(site, names, 'propertyNames'))), forge.no));
  }
  const required = ownEntry(schema, 'required');
  if (Array.isArray(required)) for (const name of required) given(has(compiler, name));
  for (const [name, value] of maps(schema, 'dependentRequired')) {
    const needed = Array.isArray(value) ? value.map((item) => has(compiler, item)) : [];
    given(forge.or([lacks(compiler, name), forge.and(needed)]));
  }
  for (const [name, value] of maps(schema, 'dependentSchemas')) {
    given(forge.or([lacks(compiler, name), compiler.form(compiler.sub(site, value, 'dependentSchemas', name))]));
  }
  return parts;
}

/** Keywords that look at items. */
export function arrayAssertions(compiler: SchemaReader, site: Site, schema: JsonObject): Form[] {
  const { forge } = compiler;
  const parts: Form[] = [];
  const given = (form: Form): number => parts.push(forge.given('array', form));
  const prefix = ownEntry(schema, 'prefixItems');
  const heads = Array.isArray(prefix) ? prefix : [];
  heads.forEach((head, at) => {
    given(forge.every({ from: at, to: at + 1 }, compiler.form(compiler.sub(site, head, 'prefixItems', at))));
  });
  const items = ownEntry(schema, 'items');
  if (items !== undefined) {
    given(forge.every({ from: heads.length, to: Infinity }, compiler.form(compiler.sub(site, items, 'items'))));
  }
  const contains = ownEntry(schema, 'contains');
  if (contains !== undefined) {
    const min = ownEntry(schema, 'minContains');
    const max = ownEntry(schema, 'maxContains');
    const form = compiler.form(compiler.sub(site, contains, 'contains'));
    const low = typeof min === 'number' ? min : 1;
    const high = typeof max === 'number' ? max : Infinity;
    given(forge.count({ from: 0, to: Infinity }, form, low, high));
  }
  return parts;
}

/** The names `properties` and `patternProperties` of this schema speak about. */
export function declaredNames(compiler: SchemaReader, schema: JsonObject): Form {
  const { forge } = compiler;
  const names = maps(schema, 'properties').map(([name]) => name);
  const patterns = maps(schema, 'patternProperties').map(([source]) => forge.pattern(source));
  return forge.or([forge.values(names), ...patterns]);
}

export function has(compiler: SchemaReader, name: unknown): Form {
  const { forge } = compiler;
  return typeof name === 'string' ? forge.some(forge.values([name]), forge.yes) : forge.yes;
}

export function lacks(compiler: SchemaReader, name: string): Form {
  const { forge } = compiler;
  return forge.some(forge.values([name]), forge.yes, false);
}

export function maps(schema: JsonObject, keyword: string): [string, JsonObject[string]][] {
  const value = ownEntry(schema, keyword);
  return isObject(value) ? Object.entries(value) : [];
}
