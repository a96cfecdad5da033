import assert from 'node:assert/strict';
import { Validator as OtherValidator } from '@cfworker/json-schema';
import * as fc from 'fast-check';
import { makeValidator } from '../../../codegen/emit/validators/compile.ts';
import { idOf, schemaView } from '../../../codegen/emit/validators/schema-view.ts';
import { reachable } from '../../../codegen/canonical/reachable.ts';
import { isJsonObject } from '../../../codegen/canonical/json.ts';
import type { JsonObject } from '../../../codegen/canonical/json.ts';
import { acceptsNull } from '../../../codegen/project/input.ts';
import type { Lookup, Node } from '../../../codegen/canonical/node.ts';
import type { PublishedTool } from '../../../codegen/project/index.ts';
import { projectForProfile } from '../../../codegen/project/profile.ts';
import { opened } from '../../../codegen/emit/tests/probes.ts';
import { compileTree, withTools } from '../support-back/workshop.ts';
import type { Bodies, Compiled } from '../support-back/workshop.ts';
import { arbitrarySchema, isExpressible, valuesFor } from '../support-back/arbitrary-schema.ts';
import type { Schema } from '../support-back/arbitrary-schema.ts';
import { realParts } from '../support-mock/serving.ts';

const text = { type: 'string' };

async function publish(
  bodies: Bodies,
  project = false,
): Promise<{ readonly tool: PublishedTool; readonly compiled: Compiled }> {
  const files = withTools({ try_it: bodies });
  const compiled = await compileTree(project ? withProject(files) : files);
  const tool = compiled.projection.tools.get('try_it');
  assert.ok(tool);
  return { tool, compiled };
}

function withProject(files: ReturnType<typeof withTools>): ReturnType<typeof withTools> {
  const path = 'tools/notes/try_it.yaml';
  return files.set(path, String(files.get(path)).replace('project: none', 'project: required'));
}

const inputOf = async (schema: Schema): Promise<JsonObject> =>
  (await publish({ input: schema })).tool.inputSchema.project;
const lossesOf = ({ projection }: Compiled): Compiled['projection']['losses'] =>
  projection.losses.filter(({ entity }) => entity === 'tool try_it input');
const property = (schema: JsonObject, name: string): unknown =>
  isJsonObject(schema['properties']) ? schema['properties'][name] : undefined;

describe('published inputs', () => {
  it('put the required project_id first for an account and leave it out for a project', async () => {
    const { tool } = await publish(
      { input: { required: ['b'], properties: { a: text, b: text } }, example: { b: 'x' } },
      true,
    );
    assert.deepEqual(Object.keys(tool.inputSchema.account['properties'] as object), ['project_id', 'a', 'b']);
    assert.deepEqual(tool.inputSchema.account['required'], ['project_id', 'b']);
    assert.deepEqual(Object.keys(tool.inputSchema.project['properties'] as object), ['a', 'b']);
    assert.deepEqual(tool.inputSchema.project['required'], ['b']);
  });

  it('are the same for both credentials of a tool that needs no project', async () => {
    const { tool } = await publish({ input: { properties: { a: text } } });
    assert.deepEqual(tool.inputSchema.account, tool.inputSchema.project);
  });

  it('hold no references and say what the referred shape says', async () => {
    const schema = await inputOf({
      properties: { status: { $ref: '#/$defs/Status', description: 'Wanted status.' } },
      $defs: { Status: { type: 'string', enum: ['ok', 'error'] } },
    });
    assert.deepEqual(property(schema, 'status'), {
      type: 'string',
      enum: ['ok', 'error'],
      description: 'Wanted status.',
    });
  });

  it('tell a default, a format and a step in words', async () => {
    const schema = await inputOf({
      properties: {
        limit: { type: 'integer', minimum: 5, maximum: 50, multipleOf: 5, default: 20, description: 'Rows per page' },
        since: { type: 'string', format: 'date-time', maxLength: 40, description: 'Start.' },
        host: { type: 'string', format: 'hostname' },
      },
    });
    assert.deepEqual(property(schema, 'limit'), {
      type: 'integer',
      minimum: 5,
      maximum: 50,
      description: 'Rows per page. Multiple of 5. Default 20.',
    });
    assert.deepEqual(property(schema, 'since'), { type: 'string', format: 'date-time', description: 'Start.' });
    assert.deepEqual(property(schema, 'host'), { type: 'string', description: 'Format hostname.' });
  });

  it('leave out bounds that help nobody to choose a value, and say so', async () => {
    const { tool, compiled } = await publish({
      input: {
        properties: {
          name: { type: 'string', minLength: 1, maxLength: 255 },
          code: { type: 'string', minLength: 2, maxLength: 20 },
          tokens: { type: 'integer', minimum: 0, maximum: 9_007_199_254_740_991 },
          hex: { type: 'string', pattern: '^[0-9a-f]{4}$', maxLength: 4 },
          ids: { type: 'array', items: text, minItems: 1, maxItems: 5 },
        },
      },
    });
    assert.deepEqual(tool.inputSchema.project['properties'], {
      name: { type: 'string' },
      code: { type: 'string', minLength: 2, maxLength: 20 },
      tokens: { type: 'integer' },
      hex: { type: 'string', pattern: '^[0-9a-f]{4}$' },
      ids: { type: 'array', items: text, maxItems: 5 },
    });
    assert.deepEqual(
      lossesOf(compiled).map(({ pointer, keyword }) => `${pointer} ${keyword}`),
      [
        '/input/properties/name maxLength',
        '/input/properties/name minLength',
        '/input/properties/tokens minimum',
        '/input/properties/tokens maximum',
        '/input/properties/hex maxLength',
        '/input/properties/ids minItems',
      ],
    );
  });

  it('leave out a description that only repeats the name, and a switch that is off anyway', async () => {
    const schema = await inputOf({
      properties: {
        trace_id: { type: 'string', description: 'Exact trace id.' },
        total_tokens_gte: { type: 'integer', description: 'Total tokens.' },
        limit: { type: 'integer', default: 20, description: 'The limit.' },
        deep: { type: 'boolean', default: false, description: 'Follow every link.' },
        model: { type: 'string', description: 'Model of the answer.' },
      },
    });
    assert.deepEqual(schema['properties'], {
      trace_id: { type: 'string' },
      total_tokens_gte: { type: 'integer' },
      limit: { type: 'integer', description: 'Default 20.' },
      deep: { type: 'boolean', description: 'Follow every link.' },
      model: { type: 'string', description: 'Model of the answer.' },
    });
  });

  it('fold null away and ask for nothing that may be null', async () => {
    const { tool, compiled } = await publish({
      input: { required: ['a', 'b'], properties: { a: { type: ['string', 'null'] }, b: { enum: ['x', null] } } },
      example: { a: null, b: null },
    });
    assert.deepEqual(tool.inputSchema.project, {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string', enum: ['x'] } },
      additionalProperties: false,
    });
    assert.deepEqual(
      lossesOf(compiled).map(({ pointer, keyword }) => [pointer, keyword]),
      [
        ['/input/properties/a', 'null'],
        ['/input/properties/b', 'null'],
      ],
    );
  });

  it('turn constants, numbered values, tuples and patterns of names into what every client reads', async () => {
    const schema = await inputOf({
      properties: {
        kind: { const: 'trace' },
        size: { type: 'integer', enum: [1, 2, 8] },
        pair: { type: 'array', prefixItems: [text, { type: 'integer' }], items: false, minItems: 2 },
        tags: { type: 'object', patternProperties: { '^x-': { type: 'integer' } } },
        above: { type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 10 },
      },
    });
    assert.deepEqual(property(schema, 'kind'), { type: 'string', enum: ['trace'] });
    assert.deepEqual(property(schema, 'size'), {
      type: 'integer',
      minimum: 1,
      maximum: 8,
      description: 'One of 1, 2, 8.',
    });
    assert.deepEqual(property(schema, 'pair'), {
      type: 'array',
      items: { anyOf: [text, { type: 'integer' }] },
      minItems: 2,
      maxItems: 2,
    });
    assert.deepEqual(property(schema, 'tags'), {
      type: 'object',
      properties: {},
      additionalProperties: { type: 'integer' },
    });
    assert.deepEqual(property(schema, 'above'), { type: 'integer', maximum: 9 });
  });

  it('show alternatives of a root as one object', async () => {
    const schema = await inputOf({
      properties: { id: text, name: text },
      anyOf: [{ required: ['id'] }, { required: ['name'] }],
    });
    assert.deepEqual(schema, { type: 'object', properties: { id: text, name: text }, additionalProperties: false });
  });

  it('are refused where a shape contains itself or a list holds null', async () => {
    const loop = {
      properties: { tree: { $ref: '#/$defs/Tree' } },
      $defs: { Tree: { properties: { inner: { $ref: '#/$defs/Tree' } } } },
    };
    const nulls = { properties: { ids: { type: 'array', items: { type: ['string', 'null'] } } } };
    for (const [input, message] of [
      [loop, /contains itself/u],
      [nulls, /Null items cannot be published/u],
    ] as const) {
      const { compiled } = await publish({ input });
      assert.ok(
        compiled.lines.some((line) => message.test(line) && line.includes('input-is-portable')),
        compiled.lines.join('\n'),
      );
    }
  });

  it('name every loss with its place', async () => {
    const { compiled } = await publish({
      input: { properties: { ids: { type: 'array', uniqueItems: true, items: text } } },
    });
    assert.deepEqual(lossesOf(compiled), [
      {
        entity: 'tool try_it input',
        pointer: '/input/properties/ids',
        keyword: 'uniqueItems',
        message: 'That items differ stands in the description only.',
      },
    ]);
  });
});

describe('published outputs', () => {
  it('are open at every level, hold no prose when compact and all of it when full', async () => {
    const { tool } = await publish({
      output: {
        required: ['note'],
        properties: {
          note: {
            type: 'object',
            required: ['id'],
            properties: { id: { type: 'string', maxLength: 9, description: 'Its id.' } },
            description: 'The note.',
          },
        },
      },
    });
    assert.deepEqual(tool.outputSchema.compact, {
      type: 'object',
      properties: { note: { type: 'object', properties: { id: text }, required: ['id'] } },
      required: ['note'],
    });
    assert.deepEqual(tool.outputSchema.full, {
      type: 'object',
      properties: {
        note: {
          type: 'object',
          properties: { id: { type: 'string', maxLength: 9, description: 'Its id.' } },
          required: ['id'],
          description: 'The note.',
        },
      },
      required: ['note'],
    });
  });

  it('let an extensible enum grow and keep null', async () => {
    const { tool } = await publish({
      output: {
        properties: {
          state: { type: 'string', enum: ['a'], extensible: true },
          next: { type: ['string', 'null'] },
          fixed: { type: 'string', enum: ['a'] },
        },
      },
    });
    assert.deepEqual(tool.outputSchema.compact['properties'], {
      state: text,
      next: { anyOf: [text, { type: 'null' }] },
      fixed: { type: 'string', enum: ['a'] },
    });
  });

  it('stop at a shape that contains itself', async () => {
    const { tool } = await publish({
      output: {
        properties: { tree: { $ref: '#/$defs/Tree' } },
        $defs: { Tree: { required: ['label'], properties: { label: text, inner: { $ref: '#/$defs/Tree' } } } },
      },
    });
    assert.deepEqual(tool.outputSchema.compact['properties'], {
      tree: { type: 'object', properties: { label: text }, required: ['label'] },
    });
  });
});

const PORTABLE = new Set([
  'type',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'enum',
  'description',
  'format',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
  'anyOf',
]);
/** Small in the suite; a setting draws more. */
const RUNS = Number(process.env['PROJECTION_SCHEMAS'] ?? 160);
const DRAWN = fc.sample(arbitrarySchema(), { seed: 7_021_126, numRuns: RUNS }).filter(isExpressible);

describe('projection', () => {
  let compiled: Compiled | undefined;
  const tools: Record<string, Bodies> = {};
  for (const [index, schema] of DRAWN.entries()) tools[`try_drawn${index}`] = { input: schema, output: schema };

  before(async function () {
    this.timeout(60_000);
    compiled = await compileTree(withTools(tools));
  });

  function each(
    check: (drawn: { index: number; published: PublishedTool; node: Node; lookup: Lookup; schema: Schema }) => void,
  ): void {
    assert.ok(compiled);
    const refused = new Set(compiled.lines.map((line) => /try_drawn(\d+)/u.exec(line)?.[1]));
    let count = 0;
    for (const [index, schema] of DRAWN.entries()) {
      const published = compiled.projection.tools.get(`try_drawn${index}`);
      const node = compiled.canonical.shapes.get(`TryDrawn${index}Input`)?.node;
      if (published === undefined || node === undefined || refused.has(String(index))) continue;
      count += 1;
      check({ index, published, node, lookup: compiled.canonical.lookup, schema });
    }
    assert.ok(count > 60, `${count} schemas`);
  }

  it('never narrows: what the server accepts, the published input accepts', () => {
    let accepted = 0;
    each(({ index, published, node, lookup, schema }) => {
      const valid = checkOf(node, lookup);
      const other = new OtherValidator(published.inputSchema.project, '2020-12', false);
      for (const value of valuesFor(schema, index)) {
        if (!valid(value)) continue;
        accepted += 1;
        const sent = withoutNulls(value, node, lookup);
        const verdict = other.validate(sent);
        assert.ok(
          verdict.valid,
          `${JSON.stringify(sent)} of ${JSON.stringify(schema)}\n${JSON.stringify(published.inputSchema.project)}\n${JSON.stringify(verdict.errors)}`,
        );
      }
    });
    assert.ok(accepted > 100, `${accepted} values`);
  });

  it('never narrows for any client profile either', async () => {
    assert.ok(compiled);
    const { canonical, projection } = compiled;
    const { profiles } = (await realParts()).model;
    assert.ok(profiles.length >= 12);
    const views = profiles.map((profile) => {
      // Every tool is looked at, however many a client takes.
      const { tools: _all, ...limits } = profile.limits;
      const view = projectForProfile(canonical.model, projection, { ...profile, limits });
      return { profile, tools: new Map(view.tools.map(({ name, inputSchema }) => [name, inputSchema])) };
    });
    let accepted = 0;
    each(({ index, published, node, lookup, schema }) => {
      const valid = checkOf(node, lookup);
      const sent = valuesFor(schema, index)
        .filter(valid)
        .map((value) => withoutNulls(value, node, lookup));
      const other = new Map<string, OtherValidator>();
      for (const { profile, tools } of views) {
        const projected = tools.get(published.name);
        assert.ok(projected, `${profile.name} sees ${published.name}`);
        const text = JSON.stringify(projected);
        const validator = other.get(text) ?? new OtherValidator(projected, '2020-12', false);
        if (other.has(text)) continue;
        other.set(text, validator);
        for (const value of sent) {
          accepted += 1;
          const verdict = validator.validate(value);
          assert.ok(verdict.valid, `${profile.name}: ${JSON.stringify(value)} of ${text}`);
        }
      }
    });
    assert.ok(accepted > 100, `${accepted} values`);
  });

  it('publishes outputs that accept whatever a handler may answer', () => {
    each(({ index, published, node, lookup, schema }) => {
      const valid = checkOf(node, lookup);
      for (const value of valuesFor(schema, index)) {
        if (!valid(value)) continue;
        for (const output of [published.outputSchema.compact, published.outputSchema.full]) {
          assert.ok(
            new OtherValidator(output, '2020-12').validate(value).valid,
            `${JSON.stringify(value)} of ${JSON.stringify(schema)}\n${JSON.stringify(output)}`,
          );
        }
      }
    });
  });

  it('publishes portable keywords and single types only', () => {
    each(({ published }) => {
      const root = published.inputSchema.project;
      assert.equal(root['type'], 'object');
      assert.equal(root['additionalProperties'], false);
      assert.ok(!('anyOf' in root));
      visit(root, (schema) => {
        for (const key of Object.keys(schema)) assert.ok(PORTABLE.has(key), key);
        assert.ok(schema['type'] === undefined || typeof schema['type'] === 'string');
        if (schema['type'] === 'array') assert.ok(isJsonObject(schema['items']));
        if ('enum' in schema) assert.equal(schema['type'], 'string');
      });
    });
  });
});

function visit(schema: JsonObject, see: (schema: JsonObject) => void): void {
  see(schema);
  const { properties, items, additionalProperties, anyOf } = schema;
  const children = [
    ...(isJsonObject(properties) ? Object.values(properties) : []),
    items,
    additionalProperties,
    ...(Array.isArray(anyOf) ? (anyOf as unknown[]) : []),
  ];
  for (const child of children) if (isJsonObject(child as never)) visit(child as JsonObject, see);
}

function checkOf(node: Node, lookup: Lookup): (value: unknown) => boolean {
  const ajv = makeValidator('outbound', reachable(node, lookup));
  const view = schemaView(node, false);
  const check = ajv.addSchema(isJsonObject(view) ? view : {}, idOf('asked')).getSchema(idOf('asked'));
  return (value) => check?.(structuredClone(value)) === true;
}

/** A null that may be left out is left out, as the published schema wants it. */
function withoutNulls(value: unknown, shape: Node, lookup: Lookup): unknown {
  const node = opened(shape, lookup);
  if (node.kind === 'union')
    return node.members.reduce((cleaned, member) => withoutNulls(cleaned, member, lookup), value);
  if (Array.isArray(value)) {
    return value.map((item, index) =>
      node.kind === 'array'
        ? withoutNulls(item, node.items, lookup)
        : node.kind === 'tuple' && node.items[index] !== undefined
          ? withoutNulls(item, node.items[index], lookup)
          : (item as unknown),
    );
  }
  if (typeof value !== 'object' || value === null || node.kind !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]: [string, unknown]) => {
      const known = node.properties.find((one) => one.name === name);
      if (known !== undefined && member === null && acceptsNull(known.node, lookup)) return [];
      const inner = known?.node ?? (typeof node.rest === 'string' ? undefined : node.rest);
      return [[name, inner === undefined ? member : withoutNulls(member, inner, lookup)]];
    }),
  );
}
