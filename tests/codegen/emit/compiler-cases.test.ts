import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compileTree, emitTree, removeFolder, typecheck, withTools, workFolder } from '../support-back/workshop.ts';
import type { Bodies } from '../support-back/workshop.ts';

type Schema = Readonly<Record<string, unknown>>;

const text = { type: 'string' };
const HOSTILE =
  'Match datasets/*/rows and */eval */ export const pwned = 1; /* and `${pwned}` </script> {{pwned}} end of the text.';
const QUOTED = `Reads the agent's "last" run & its <eval> scores, told in more than forty letters.`;

async function outputTypes(schema: Schema, name = 'try_it'): Promise<string> {
  const files = await emitTree(withTools({ [name]: { output: schema } }));
  return files.get(`contracts/tools/notes/${name}.ts`) ?? '';
}

async function faults(bodies: Bodies): Promise<readonly string[]> {
  return (await compileTree(withTools({ try_it: bodies }))).lines;
}

describe('emitted types', () => {
  const stamps = (queued: string): Schema => ({
    required: ['queued'],
    properties: {
      queued: { $ref: '#/$defs/Stamp', description: queued },
      started: { $ref: '#/$defs/Stamp', description: 'When it started.' },
      ended: { $ref: '#/$defs/Stamp' },
    },
    $defs: { Stamp: { required: ['at'], properties: { at: text } } },
  });

  it('declare one type for a definition used with three descriptions', async () => {
    const types = await outputTypes(stamps('When it was queued.'));
    assert.equal(types.match(/interface \w*Stamp\b/gu)?.length, 1);
    assert.doesNotMatch(types, /Stamp\d/u);
    assert.match(types, /\/\*\* When it was queued\. \*\/\n {2}queued: TryItOutputStamp;/u);
    assert.match(types, /\/\*\* When it started\. \*\/\n {2}started\?: TryItOutputStamp;/u);
  });

  it('change only comments when a description changes', async () => {
    const [one, two] = await Promise.all([
      outputTypes(stamps('When it was queued.')),
      outputTypes(stamps('When somebody queued it.')),
    ]);
    const code = (types: string): string => types.replaceAll(/\/\*[^]*?\*\/|^\/\/.*$/gmu, '');
    assert.notEqual(one, two);
    assert.equal(code(one), code(two));
  });

  it('reach every enum value exactly once with its exact characters', async () => {
    const values = ['&&', '||', 'p-95', 'p_95', 'p.95', 'p95'];
    const types = await outputTypes({ required: ['op'], properties: { op: { type: 'string', enum: values } } });
    const union = /op: \(?([^;)]*)\)?;/u.exec(types)?.[1] ?? '';
    assert.deepEqual(
      union.split(' | ').map((one) => JSON.parse(one) as unknown),
      values,
    );
  });

  it('stay small for a list of five hundred rows and keep the bound in words and in the validator', async () => {
    const schema = {
      required: ['rows'],
      properties: { rows: { type: 'array', minItems: 1, maxItems: 500, items: { $ref: '#/$defs/Row' } } },
      $defs: { Row: { properties: { input: {}, expected: {} } } },
    };
    const files = await emitTree(withTools({ try_it: { output: schema } }));
    const types = files.get('contracts/tools/notes/try_it.ts') ?? '';
    assert.ok(types.length < 4096, `${types.length} characters`);
    assert.match(types, /@minItems 1\n {3}\* @maxItems 500/u);
    assert.match(types, /rows: TryItOutputRow\[\];/u);
    const validate = await load(files, 'tool-output/try_it');
    assert.deepEqual(
      [0, 1, 500, 501].map((count) => validate({ rows: Array.from({ length: count }, () => ({})) })),
      [false, true, true, false],
    );
  });

  it('refuse names that differ by separators only, naming each', async () => {
    const schema = {
      properties: { a: { $ref: '#/$defs/eval-run' } },
      $defs: { 'eval-run': text, eval_run: { type: 'integer' }, EvalRun: { type: 'boolean' } },
    };
    const message = await emitTree(withTools({ try_it: { output: schema } })).then(() => '', String);
    for (const name of ['eval-run', 'eval_run', 'EvalRun']) assert.ok(message.includes(name), `${name} in ${message}`);
  });

  it('refuse tools that map to one identifier', async () => {
    const message = await emitTree(withTools({ get_run: {}, getrun: {}, get_r_un: {} })).then(() => 'accepted', String);
    assert.equal(message, 'accepted');
    const clash = await emitTree(withTools({ get_a1: {}, get_a_1: {} })).then(() => 'accepted', String);
    assert.match(clash, /get_a1[^]*get_a_1|get_a_1[^]*get_a1/u);
  });

  it('name tools and definitions after reserved words', async () => {
    const tools = {
      export_default: {},
      package: {},
      await: {},
      try_it: { output: { properties: { a: { $ref: '#/$defs/class' } }, $defs: { class: text } } },
    };
    const files = await emitTree(withTools(tools));
    const folder = workFolder(new Map([...files].map(([path, body]) => [`generated/${path}`, body])));
    try {
      assert.deepEqual(typecheck(folder), []);
      const { catalog } = (await import(pathToFileURL(join(folder, 'generated/catalog/index.ts')).href)) as {
        catalog: { tools: { name: string }[] };
      };
      const names = catalog.tools.map(({ name }) => name);
      for (const name of Object.keys(tools)) assert.ok(names.includes(name), name);
      assert.deepEqual(names, [...names].sort());
    } finally {
      removeFolder(folder);
    }
  });

  it('keep hostile and quoted descriptions as inert text, byte for byte', async () => {
    const schema = {
      properties: { a: { type: 'string', description: HOSTILE }, b: { type: 'string', description: QUOTED } },
    };
    const files = await emitTree(
      withTools({
        try_hostile: { output: schema, description: HOSTILE },
        try_quoted: { output: schema, description: QUOTED },
      }),
    );
    const folder = workFolder(new Map([...files].map(([path, body]) => [`generated/${path}`, body])));
    try {
      assert.deepEqual(typecheck(folder), []);
      const catalog = (await import(pathToFileURL(join(folder, 'generated/catalog/index.ts')).href)) as {
        catalog: { tools: { name: string; description: string }[] };
      };
      const served = new Map(catalog.catalog.tools.map(({ name, description }) => [name, description]));
      assert.equal(served.get('try_hostile'), HOSTILE);
      assert.equal(served.get('try_quoted'), QUOTED);
      for (const [path, body] of files) {
        assert.doesNotMatch(body, /&(?:#x27|quot|amp|lt|gt|#x60|#x3D);/u, path);
        if (path.endsWith('.ts')) assert.doesNotMatch(withoutTexts(body), /pwned/u, path);
      }
    } finally {
      removeFolder(folder);
    }
  });

  it('are refused with the place for what has no exact type', async () => {
    const cases: readonly (readonly [Schema, RegExp])[] = [
      [
        {
          properties: {
            a: { type: 'object', properties: { k: text }, if: { required: ['k'] }, ['th' + 'en']: { required: ['k'] } },
          },
        },
        /`if` has no exact type/u,
      ],
      [{ properties: { a: { not: { type: 'string' } } } }, /`not` has no exact type/u],
      [{ properties: { a: { oneOf: [{ type: 'number' }, { type: 'integer' }] } } }, /two branches of this `oneOf`/u],
      [
        { properties: { a: { type: 'object', properties: { n: { type: 'integer' } }, additionalProperties: text } } },
        /Named members of another type/u,
      ],
      [
        {
          properties: {
            a: { type: 'object', properties: { n: { type: 'integer' } }, patternProperties: { x$: text } },
          },
        },
        /no exact type/u,
      ],
      [{ properties: { a: { allOf: [text, { type: 'integer' }] } } }, /No value can satisfy/u],
      [
        { properties: { a: { type: 'array', prefixItems: [text], contains: text } } },
        /`contains` beside `prefixItems`/u,
      ],
    ];
    for (const [output, message] of cases) {
      const lines = await faults({ output });
      assert.ok(
        lines.some((line) => message.test(line) && /^tools\/notes\/try_it\.yaml:\d+:\d+ schema-is-exact: /u.test(line)),
        `${message.source} in\n${lines.join('\n')}`,
      );
    }
  });

  it('refuse a default that would never be filled in, with its place', async () => {
    const branches = [
      {
        type: 'object',
        required: ['kind'],
        properties: { kind: { const: 'trace' }, limit: { type: 'integer', default: 20 } },
      },
      { type: 'object', required: ['kind'], properties: { kind: { const: 'dataset' } } },
    ];
    const lines = await faults({ input: { properties: { by: { anyOf: branches } } } });
    assert.ok(
      lines.some((line) => /try_it\.yaml:\d+:\d+ schema-is-exact: This default would never be filled in\./u.test(line)),
      lines.join('\n'),
    );
  });

  it('give a handler what a caller may leave out', async () => {
    const input = {
      required: ['page'],
      properties: {
        page: { $ref: '#/$defs/Page' },
        limit: { type: 'integer', minimum: 1, maximum: 9, default: 5 },
        note: text,
      },
      $defs: { Page: { properties: { size: { type: 'integer', default: 10 } } } },
    };
    const files = await emitTree(withTools({ try_it: { input, example: { page: {} } } }));
    const types = files.get('contracts/tools/notes/try_it.ts') ?? '';
    assert.match(
      types,
      /interface TryItInput \{[^}]*page: TryItInputPageFilled;[^}]*limit: number;[^}]*note\?: string;/u,
    );
    assert.match(types, /interface TryItCall \{[^}]*page: TryItInputPage;[^}]*limit\?: number;/u);
    const validate = await load(files, 'tool-input/try_it');
    const args = { page: {} };
    assert.equal(validate(args), true);
    assert.deepEqual(args, { page: { size: 10 }, limit: 5 });
  });
});

type Validate = ((value: unknown) => boolean) & {
  errors?:
    readonly { instancePath: string; keyword: string; params: Record<string, unknown>; message?: string }[] | null;
};

async function load(files: ReadonlyMap<string, string>, validator: string): Promise<Validate> {
  const folder = workFolder(files);
  try {
    const module = (await import(pathToFileURL(join(folder, `validators/${validator}.ts`)).href)) as {
      validate: Validate;
    };
    return module.validate;
  } finally {
    removeFolder(folder);
  }
}

/** The code of a file without its comments and string literals. */
function withoutTexts(body: string): string {
  return body.replaceAll(/"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[^]*?\*\//gu, '');
}

describe('emitted validators', () => {
  const output = async (schema: Schema): Promise<Validate> =>
    load(await emitTree(withTools({ try_it: { output: schema } })), 'tool-output/try_it');
  const input = async (schema: Schema, example: unknown = {}): Promise<Validate> =>
    load(await emitTree(withTools({ try_it: { input: schema, example } })), 'tool-input/try_it');

  it('load as plain modules where no package can be resolved and require nothing', async () => {
    const schema = {
      properties: {
        name: { type: 'string', minLength: 2 },
        rows: { type: 'array', maxItems: 9, uniqueItems: true, items: { properties: { a: { type: 'integer' } } } },
        at: { type: 'string', format: 'date-time' },
      },
    };
    const files = await emitTree(withTools({ try_it: { input: schema, output: schema } }));
    const sources = new Map([...files].filter(([path]) => path.startsWith('validators/')));
    for (const [path, body] of sources) assert.doesNotMatch(body, /require\(/u, path);
    const folder = workFolder(sources);
    try {
      assert.deepEqual(typecheck(folder, 'js'), []);
      const program =
        "const { toolInput } = await import('./js/validators/index.js'); console.log(toolInput.try_it({ name: 'ab', rows: [{ a: 1 }, { a: 2 }], at: '2026-03-29T02:30:00Z' }), toolInput.try_it({ name: 'a' }));";
      const printed = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
        cwd: folder,
        encoding: 'utf8',
      });
      assert.equal(printed, 'true false\n');
    } finally {
      removeFolder(folder);
    }
  });

  it('do not take an inherited member for a given one', async () => {
    const validate = await input({ required: ['toString'], properties: { toString: text } }, { toString: 'x' });
    assert.equal(validate({}), false);
    assert.equal(validate.errors?.[0]?.keyword, 'required');
    assert.equal(validate({ toString: 'x' }), true);
  });

  it('leave outputs as they are', async () => {
    const validate = await output({
      required: ['parent'],
      properties: { parent: { anyOf: [text, { type: 'null' }] }, limit: { type: 'integer', default: 3 } },
    });
    for (const value of [{ parent: null }, { parent: '' }, { parent: 'a', limit: 1 }, { parent: 5 }]) {
      const before = structuredClone(value);
      validate(value);
      assert.deepEqual(value, before);
    }
    assert.equal(validate({ parent: null }), true);
    assert.equal(validate({ parent: 5 }), false);
  });

  it('keep every member of composed objects and refuse strangers by name', async () => {
    const validate = await input({
      allOf: [
        { type: 'object', properties: { name: text } },
        { type: 'object', properties: { rows: { type: 'integer' } } },
      ],
    });
    const args = { name: 'n', rows: 2 };
    assert.equal(validate(args), true);
    assert.deepEqual(args, { name: 'n', rows: 2 });
    assert.equal(validate({ ...args, zzz: 1 }), false);
    assert.deepEqual(
      validate.errors?.map(({ params }) => params['additionalProperty']),
      ['zzz'],
    );
  });

  it('take money as written in decimals', async () => {
    const validate = await output({ properties: { cost: { type: 'number', multipleOf: 0.01 } } });
    assert.deepEqual(
      [8.69, 8.695, 0.07, 1.1, 4.35].map((cost) => validate({ cost })),
      [true, false, true, true, true],
    );
  });

  it('take only dates and times that RFC 3339 allows and the calendar has', async () => {
    const validate = await input({ properties: { since: { type: 'string', format: 'date-time' } } });
    const takes = (since: string): boolean => validate({ since });
    for (const good of [
      '2026-03-29T02:30:00Z',
      '2026-03-29T02:30:00.123456+02:00',
      '2024-02-29T00:00:00Z',
      '2026-03-29t02:30:00z',
    ])
      assert.ok(takes(good), good);
    for (const bad of [
      '2026-03-29T02:30:00+0200',
      '2026-03-29 02:30:00Z',
      '2026-02-30T00:00:00Z',
      '2025-02-29T00:00:00Z',
      '2026-03-29T02:30:00',
      '2026-03-29T24:00:00Z',
      '2026-03-29',
      '2026-13-01T00:00:00Z',
    ])
      assert.ok(!takes(bad), bad);
  });

  it('demand what another member needs', async () => {
    const validate = await input({ properties: { file: text, sha256: text }, dependentRequired: { file: ['sha256'] } });
    assert.deepEqual(
      [{ file: 'a' }, { file: 'a', sha256: 'b' }, { sha256: 'b' }, {}].map((value) => validate(value)),
      [false, true, true, true],
    );
  });

  it('count characters and refuse half of one and NUL, naming the field', async () => {
    const validate = await input({ properties: { label: { type: 'string', maxLength: 1 } } });
    assert.equal(validate({ label: '😀' }), true);
    assert.equal(validate({ label: 'e\u0301' }), false);
    for (const label of ['\ud83d', '\ude00', '\0']) {
      assert.equal(validate({ label }), false);
      assert.deepEqual(
        validate.errors?.map(({ instancePath, keyword }) => [instancePath, keyword]),
        [['/label', 'wellFormed']],
      );
    }
  });

  it('look for unsound text and numbers inside free-form parts too', async () => {
    const validate = await input({
      properties: { row: { type: 'object', open: 'Rows are the caller’s own.', maxProperties: 9 } },
    });
    assert.equal(validate({ row: { a: ['fine', 9_007_199_254_740_991] } }), true);
    for (const [row, place] of [
      [{ a: ['\ud800'] }, '/row/a/0'],
      [JSON.parse('{"id":12345678901234567890}'), '/row/id'],
      [{ 'k\0': 1 }, '/row'],
    ] as const) {
      assert.equal(validate({ row }), false);
      assert.equal(validate.errors?.[0]?.instancePath, place);
    }
  });

  it('refuse huge values at once', async () => {
    const validate = await input({
      properties: {
        rows: {
          type: 'array',
          maxItems: 500,
          uniqueItems: true,
          items: { type: 'object', open: 'Rows are free.', maxProperties: 9 },
        },
        slug: { type: 'string', maxLength: 40, pattern: '^([a-z0-9]+[-_.]?)+$' },
      },
    });
    const rows = Array.from({ length: 8000 }, (_, index) => ({ index }));
    const strangers = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`stranger${index}`, index]));
    let deep: unknown = 1;
    for (let level = 0; level < 20_000; level += 1) deep = [deep];
    const start = process.hrtime.bigint();
    for (const [value, keyword] of [
      [{ rows }, 'maxItems'],
      [{ slug: `${'a'.repeat(5000)}!` }, 'maxLength'],
      [strangers, 'maxProperties'],
      [{ rows: [deep] }, 'depth'],
    ] as const) {
      assert.equal(validate(value), false);
      assert.deepEqual(
        validate.errors?.map((fault) => fault.keyword),
        [keyword],
      );
    }
    const took = Number(process.hrtime.bigint() - start) / 1e6;
    assert.ok(took < 1000, `${took} ms`);
  });

  it('tell at most fifty faults, each in words', async () => {
    const validate = await input({
      properties: { ids: { type: 'array', maxItems: 1000, items: { type: 'integer', minimum: 1, maximum: 5 } } },
    });
    assert.equal(validate({ ids: Array.from({ length: 1000 }, () => 9) }), false);
    assert.equal(validate.errors?.length, 50);
    assert.equal(validate.errors?.[0]?.message, 'must be at most 5');
  });

  it('know the formats that the contract checker knows, with the same verdicts', async () => {
    const { FORMATS } = await import('../../../codegen/grammar/formats.ts');
    const files = await emitTree(withTools({}));
    const folder = workFolder(files);
    try {
      const { formats } = (await import(pathToFileURL(join(folder, 'validators/runtime.ts')).href)) as {
        formats: Record<string, (text: string) => boolean>;
      };
      assert.deepEqual(Object.keys(formats).sort(), Object.keys(FORMATS).sort());
      for (const [name, check] of Object.entries(FORMATS)) {
        for (const sample of FORMAT_SAMPLES)
          assert.equal(formats[name]?.(sample), check(sample), `${name} of ${sample}`);
      }
    } finally {
      removeFolder(folder);
    }
  });
});

const FORMAT_SAMPLES = [
  '',
  'a',
  '2026-02-07',
  '2026-02-29',
  '2024-02-29',
  '10:00:00Z',
  '10:00:00+02:00',
  '10:00:00.5z',
  '25:00:00Z',
  '10:00:00',
  '2026-02-07T10:00:00Z',
  '2026-02-07T10:00:00',
  '2026-02-07TT10:00:00Z',
  'PT1H',
  'P1Y2M3D',
  'P',
  'P1W',
  'PT',
  'ann@example.test',
  'ann@',
  '@example.test',
  'a b@example.test',
  'example.test',
  '-a.test',
  'a..b',
  `${'a'.repeat(64)}.test`,
  '192.0.2.1',
  '192.0.2.256',
  '192.0.2',
  '01.2.3.4',
  '1.2.3.4.',
  '::',
  '::1',
  '2001:db8::1',
  '1:2:3:4:5:6:7:8',
  '1:2:3:4:5:6:7',
  '1::2::3',
  '::ffff:192.0.2.1',
  '12345::',
  'fe80::1%eth0',
  ':1:2:3:4:5:6:7',
  '01890a5d-ac96-774b-bcce-b302099a8057',
  '01890a5dac96774bbcceb302099a8057',
  'https://example.test/a?b=c',
  'urn:x:y',
  'no uri',
  'http://a b',
];
