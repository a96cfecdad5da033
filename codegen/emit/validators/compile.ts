/** Compiles one shape to a module that needs nothing but the runtime beside it. */
import { _ } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { AnySchemaObject } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import type { Lookup, Node } from '../../canonical/node.ts';
import { reachable } from '../../canonical/reachable.ts';
import { FORMATS } from '../../grammar/formats.ts';
import { literal } from '../literal.ts';
import { boundsView } from './bounds-view.ts';
import { idOf, schemaView } from './schema-view.ts';

export type Direction = 'inbound' | 'outbound';

/** Decimal places within which a multiple counts as exact, so that 8.69 is a multiple of 0.01. */
const PRECISION = 9;

/** What the package needs at run time, by the name the runtime module exports. */
const REQUIRED: readonly (readonly [string, string])[] = [
  ['require("ajv/dist/runtime/ucs2length").default', 'codePointLength'],
  ['require("ajv/dist/runtime/equal").default', 'equal'],
];

/** What is evaluated in place of a validator that is only printed: parsing the real one would cost as much again. */
const unused = (): string => 'return function validate() {}';

/**
 * A fresh compiler per shape, because its names count up: with a shared one, adding a tool would rename variables in
 * every other file.
 */
export function makeValidator(direction: Direction, named: ReadonlyMap<string, Node>, run = true): Ajv2020 {
  const inbound = direction === 'inbound';
  const ajv = new Ajv2020({
    code: {
      source: true,
      esm: true,
      lines: true,
      formats: _`formats`,
      optimize: false,
      ...(run ? {} : { process: unused }),
    },
    strict: true,
    strictTypes: false,
    strictTuples: false,
    strictRequired: false,
    allErrors: inbound,
    useDefaults: inbound,
    coerceTypes: false,
    removeAdditional: false,
    // A caller's value is looked at closely; ours are plain objects, and asking each whether a member is its own takes longest.
    ownProperties: inbound,
    multipleOfPrecision: PRECISION,
    messages: false,
    meta: false,
    validateSchema: false,
    logger: false,
  });
  for (const [name, validate] of Object.entries(FORMATS)) ajv.addFormat(name, validate);
  for (const [name, node] of named) ajv.addSchema(asSchema(schemaView(node, inbound)), idOf(name));
  return ajv;
}

function asSchema(view: unknown): AnySchemaObject {
  return typeof view === 'object' && view !== null ? view : { not: {} };
}

/** Module text, with `runtime` as the specifier of the module that holds formats and guards. */
export function compileValidator(node: Node, direction: Direction, lookup: Lookup, runtime: string): string {
  const named = reachable(node, lookup);
  const ajv = makeValidator(direction, named, false);
  ajv.addSchema(asSchema(schemaView(node, direction === 'inbound')), 'root');
  // because the CommonJS build exposes its function both as the module and as `default`
  const print = (typeof standalone === 'function' ? standalone : (standalone as { default: unknown }).default) as (
    ajv: Ajv2020,
    names: Record<string, string>,
  ) => string;
  let code = print(ajv, { check: 'root' })
    .replace(/^"use strict";/u, '')
    .replace('export const check = ', 'const check = ');
  const imports = ['type Validator'];
  for (const [call, name] of REQUIRED) {
    if (!code.includes(call)) continue;
    code = code.replaceAll(call, name);
    imports.push(name);
  }
  code = countOnlyLongTexts(code);
  if (code.includes('= formats')) imports.push('formats');
  if (/=\s*require\(/u.test(code)) throw new Error('the compiled validator needs a package at run time');
  const end = direction === 'inbound' ? inboundEnd(node, named) : 'export const validate: Validator = once(check);';
  imports.push(direction === 'inbound' ? 'guarded' : 'once');
  const head = `// @ts-nocheck\nimport { ${imports.sort().join(', ')} } from ${literal(runtime)};`;
  return `${head}\n\n${code.trim()}\n\n${end}\n`;
}

/** A text has no more code points than units, so the ones that are short enough anyway are not counted. */
function countOnlyLongTexts(code: string): string {
  const counter = /const (\w+) = codePointLength;/u.exec(code)?.[1];
  if (counter === undefined) return code;
  const tooLong = new RegExp(`${counter}\\((\\w+)\\) > (\\d+)`, 'gu');
  return code.replace(tooLong, (counted, text: string, most: string) => `${text}.length > ${most} && ${counted}`);
}

function inboundEnd(node: Node, named: ReadonlyMap<string, Node>): string {
  const shared = [...named].map(([name, target]) => `  ${literal(name)}: ${literal(boundsView(target))},`).join('\n');
  const table = shared === '' ? '{}' : `{\n${shared}\n}`;
  return `export const validate: Validator = guarded(check, ${literal(boundsView(node))}, ${table});`;
}
