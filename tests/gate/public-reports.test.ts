/** Faults that users of other diff tools have reported in public, each with its right answer here. */
import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { diff } from '../../codegen/diff/diff.ts';
import { SURFACE_FORMAT, type Surface, type ToolSurface } from '../../codegen/diff/surface/types.ts';
import type { JsonSchema, JsonValue } from '../../codegen/model/types.ts';
import { baseTree, DELETE, edited } from '../codegen/support/contract-tree.ts';
import { judge, judgeTrees, line, loaded, TODAY } from './support/trees.ts';

type Properties = Record<string, JsonSchema>;

const closed = (properties: Properties, required: string[] = []): JsonSchema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

/** A surface with one tool whose input and output are given. */
function surface(ends: { input?: JsonSchema; output?: JsonSchema }, origin: Surface['origin']): Surface {
  const tool: ToolSurface = {
    title: 'Probe',
    description: 'Probes.',
    aliases: [],
    stability: 'stable',
    hints: { readOnlyHint: true },
    input: ends.input ?? closed({}),
    ...(ends.output === undefined ? {} : { output: ends.output }),
    published: { input: {} },
  };
  return {
    format: SURFACE_FORMAT,
    origin,
    server: { name: 's', title: 'S', version: '1.0.0', instructions: '', revisions: ['2025-11-25'] },
    definitions: {},
    tools: { probe: tool },
    resources: {},
    prompts: {},
    jobs: {},
    errors: {},
    scopes: {},
    endpoints: {},
    profiles: {},
    tombstones: [],
    views: [],
  };
}

async function verdicts(
  side: 'input' | 'output',
  before: JsonSchema,
  after: JsonSchema,
  origin: Surface['origin'] = 'server',
): Promise<string[]> {
  const ends = [before, after].map((schema) => loaded(surface({ [side]: schema }, origin), 'side'));
  const [old, now] = ends;
  assert.ok(old !== undefined && now !== undefined);
  const { findings } = await diff(old, now, { today: TODAY });
  return findings.map(({ rule, verdict, path }) => `${verdict} ${rule} ${path}`);
}

const at = (schema: JsonSchema, required = true): JsonSchema => closed({ field: schema }, required ? ['field'] : []);
const BREAKS = /^breaking /u;

describe('public reports about diff tools', function () {
  this.timeout(30_000);

  it('enum members are judged by direction', async () => {
    const [two, one] = [{ enum: ['ok', 'error'] }, { enum: ['ok'] }];
    assert.deepEqual(await verdicts('input', at(two), at(one)), [
      'breaking in-enum-value-removed /input/properties/field',
    ]);
    assert.deepEqual(await verdicts('output', at(one), at(two)), [
      'breaking out-enum-value-added /output/properties/field',
    ]);
    assert.deepEqual(await verdicts('output', at(two), at(one)), []);
  });

  it('a required input with a default is judged as the built server does', async () => {
    const mode = { type: 'string', default: 'fast' };
    const [old, now] = [closed({}), closed({ mode }, ['mode'])];
    const server = new Ajv2020({ useDefaults: true, strict: false });
    const accepted = server.compile(now)({});
    const found = await verdicts('input', old, now, 'contracts');
    assert.equal(
      found.some((one) => BREAKS.test(one)),
      !accepted,
    );
    assert.deepEqual(found, ['notice in-property-added-required-with-default /input/properties/mode']);
    // A server that is only known by its listing may well not fill anything in.
    assert.match((await verdicts('input', old, now)).join(), BREAKS);
  });

  it('a shape moved to a definition is the same shape', async () => {
    const role: JsonSchema = { type: 'string', enum: ['user', 'admin'] };
    const inline: JsonSchema = at({ anyOf: [role, { type: 'null' }] });
    const moved: JsonSchema = {
      ...(typeof inline === 'object' ? inline : {}),
      properties: { field: { anyOf: [{ $ref: '#/$defs/Role' }, { type: 'null' }] } },
      $defs: { Role: { ...role, title: 'Role' } },
    };
    for (const side of ['input', 'output'] as const) {
      assert.deepEqual(await verdicts(side, inline, moved), []);
      assert.deepEqual(await verdicts(side, moved, inline), []);
    }
  });

  it('a change inside oneOf is seen', async () => {
    const row = (required: string[]): JsonSchema => ({
      type: 'object',
      required: ['kind', ...required],
      properties: { kind: { const: 'row' }, score: { type: 'number' } },
    });
    const union = (needs: string[]): JsonSchema => ({
      type: 'object',
      properties: { item: { oneOf: [{ $ref: '#/$defs/Row' }, { type: 'string' }] } },
      $defs: { Row: row(needs) },
    });
    const [found, ...more] = await verdicts('output', union(['score']), union([]));
    assert.deepEqual(more, []);
    assert.match(found ?? '', /^breaking out-property-became-optional .*oneOf.*score$/u);
  });

  it('null is judged by direction', async () => {
    const [text, nullable] = [{ type: 'string' }, { type: ['string', 'null'] }];
    assert.match((await verdicts('output', at(text), at(nullable))).join(), /^breaking out-nullable-added/u);
    assert.deepEqual(await verdicts('input', at(text), at(nullable)), []);
  });

  it('maxLength is judged by direction', async () => {
    const cap = (maxLength: number): JsonSchema => at({ type: 'string', maxLength });
    assert.match((await verdicts('input', cap(200), cap(120))).join(), /^breaking in-max-length-lowered/u);
    assert.match((await verdicts('output', cap(120), cap(200))).join(), /^breaking out-max-length-raised/u);
    assert.deepEqual(await verdicts('input', cap(120), cap(200)), []);
    assert.deepEqual(await verdicts('output', cap(200), cap(120)), []);
  });

  it('an optional property of a closed object breaks only those who read it', async () => {
    const [without, tagged] = [closed({}), closed({ tags: { type: 'string' } })];
    assert.deepEqual(await verdicts('input', without, tagged), []);
    assert.match((await verdicts('output', without, tagged)).join(), /^breaking out-property-added-optional/u);
    // Our published outputs are open, so that readers take the addition.
    assert.deepEqual(await verdicts('output', without, tagged, 'contracts'), []);
  });

  it('integer to number is judged by direction', async () => {
    const [whole, any] = [{ type: 'integer' }, { type: 'number' }];
    assert.deepEqual(await verdicts('input', at(whole), at(any)), []);
    assert.match((await verdicts('output', at(whole), at(any))).join(), /^breaking out-type-widened/u);
  });

  it('prose and order change nothing but prose', async () => {
    const files = edited({
      'list_notes:/description':
        'Shows the notes of the project, newest first; pass `next_cursor` back as `cursor`, then use `get_note`.',
      'create_note:/output/required': ['resource', 'note', 'summary'],
      'create_note:/input/properties': {
        place: { description: 'Where the note belongs.', $ref: '#/$defs/Place' },
        text: { description: 'What the note says.', maxLength: 2000, minLength: 1, type: 'string' },
      },
    });
    // JSON is YAML.
    files.set(
      'models/page.yaml',
      JSON.stringify({
        kind: 'model',
        name: 'page',
        title: 'Page',
        description: 'Where a list stands and how to go on.',
        schema: {
          properties: {
            next_cursor: { maxLength: 512, type: ['null', 'string'], description: 'Cursor of the next page or null.' },
            limit: { description: 'Rows asked for.', maximum: 100, minimum: 1, type: 'integer' },
          },
          required: ['next_cursor', 'limit'],
        },
      }),
    );
    const { findings, failed } = await judgeTrees(baseTree(), files, { failOn: 'risky' });
    assert.equal(failed, false);
    assert.deepEqual(findings.map(line), ['notice tool-description-changed tool list_notes']);
  });

  it('changes of the catalogue are seen, and an addition is not a break', async () => {
    const list = String(baseTree().get('tools/notes/list_notes.yaml'));
    const { findings } = await judge(
      { 'tidy_notes:/arguments/0/required': false, 'tidy_notes:/messages/0/text': 'Tidy {{topic}}.' },
      {
        'list_notes:': DELETE,
        'tools/notes/search_notes:': list.replace('name: list_notes', 'name: search_notes'),
        'get_note:/behaviour/read_only': false,
        'create_note:/behaviour/scopes': ['notes:export'],
        'resources/notes/note:': DELETE,
        'note_export:/resource': 'guide',
        'tidy_notes:/arguments/0/required': true,
      },
      { rules: 'agent' },
    );
    const broken = findings.filter(({ verdict }) => verdict === 'breaking').map(line);
    assert.deepEqual(broken.sort(), [
      'breaking hint-read-only-lost tool get_note',
      'breaking job-resource-changed job note_export',
      'breaking prompt-arg-became-required prompt tidy-notes',
      'breaking resource-removed resource note',
      'breaking scope-replaced tool create_note',
      'breaking tool-renamed tool list_notes',
    ]);
    const added = await judge({}, { 'tools/notes/search_all:': list.replace('name: list_notes', 'name: search_all') });
    assert.deepEqual(added.findings.map(line), ['notice tool-added tool search_all']);
  });

  it('a surface does not differ from itself', async () => {
    const same = await judgeTrees(baseTree(), new Map([...baseTree()].reverse()));
    assert.deepEqual(same.findings, []);
    const values: JsonValue[] = [true, {}, { type: 'object', properties: { a: { not: {} } } }];
    for (const schema of values) {
      // because each of them is a schema
      assert.deepEqual(await verdicts('input', schema as JsonSchema, schema as JsonSchema), []);
    }
  });
});
