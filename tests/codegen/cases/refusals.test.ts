import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import { baseTree, edited, lint, lintBody } from '../support/contract-tree.ts';

const TOOL = 'tools/notes/create_note.yaml';

/** Findings of one rule in a tool whose input or output is this schema. */
async function found(side: 'input' | 'output', schema: unknown, rule: string): Promise<string[]> {
  const { lines } = await lintBody(side, schema);
  return lines.filter((line) => line.includes(` ${rule}: `));
}

describe('names that differ by separators only', () => {
  it('are refused together, each named, and none is numbered', async () => {
    const small = { type: 'string', maxLength: 5, description: 'A short text.' };
    const { lines, model } = await lintBody('input', {
      properties: { run: { $ref: '#/$defs/EvalRun' } },
      $defs: { 'eval-run': small, eval_run: { ...small, maxLength: 6 }, EvalRun: { ...small, maxLength: 7 } },
    });
    const collisions = lines.filter((line) => line.includes(' names-are-unique: '));
    assert.equal(collisions.length, 3);
    for (const line of collisions)
      for (const name of ['eval-run', 'eval_run', 'EvalRun']) assert.ok(line.includes(`definition ${name} of`), line);
    assert.equal(model, undefined);
  });

  it('are refused for tools whose types would be one', async () => {
    const tool = String(baseTree().get('tools/notes/get_note.yaml'));
    const { lines } = await lint(
      edited({
        'tools/notes/getNote:': tool
          .replace('name: get_note', 'name: getNote')
          .replace('aliases: [read_note]', 'aliases: []'),
      }),
    );
    assert.ok(
      lines.some((line) => /names-are-unique: `tool getNote` and `tool get_note`/u.test(line)),
      lines.join('\n'),
    );
  });
});

describe('a misspelt type and a misspelt required name', () => {
  it('are both reported with file, line and pointer before anything is generated', async () => {
    const { diagnostics, model } = await lintBody('input', {
      type: 'object',
      properties: { limit: { type: 'interger' } },
      required: ['limt'],
    });
    assert.equal(model, undefined);
    const seen = diagnostics.filter(({ rule }) => rule === 'schema-type' || rule === 'schema-required');
    assert.deepEqual(
      seen.map(({ rule, pointer, remedy, position }) => ({
        rule,
        pointer,
        remedy,
        file: position.file,
        placed: position.line > 1,
      })),
      [
        {
          rule: 'schema-type',
          pointer: '/input/properties/limit/type',
          remedy: 'Did you mean `integer`?',
          file: TOOL,
          placed: true,
        },
        {
          rule: 'schema-required',
          pointer: '/input/required/0',
          remedy: 'Did you mean `limit`?',
          file: TOOL,
          placed: true,
        },
      ],
    );
  });
});

describe('a reference to the network or to a file', () => {
  it('is refused by name and opens no connection', async () => {
    let connections = 0;
    const listener = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = listener.address() as AddressInfo;
      const ref = `http://127.0.0.1:${port}/common.json#/$defs/A`;
      const { lines, model } = await lintBody('input', { type: 'object', properties: { a: { $ref: ref } } });
      assert.equal(model, undefined);
      assert.ok(
        lines.some((line) => line.includes('in-ref-remote') && line.includes(ref)),
        lines.join('\n'),
      );
      assert.equal(connections, 0);
    } finally {
      listener.close();
    }
  });

  for (const ref of [
    'file:///etc/passwd',
    '../other.yaml#/$defs/A',
    '/etc/passwd',
    'model:../secret',
    '#/properties/a',
    '#',
  ]) {
    it(`is refused as ${ref}`, async () => {
      const lines = await found('input', { type: 'object', properties: { a: { $ref: ref } } }, 'in-ref-remote');
      assert.equal(lines.length, 1);
      assert.ok(lines[0]?.includes(ref));
    });
  }
});

describe('a default that no validator would fill in', () => {
  it('is refused with its path inside an alternative', async () => {
    const schema = {
      anyOf: [
        {
          type: 'object',
          required: ['kind'],
          properties: { kind: { const: 'trace' }, limit: { type: 'integer', default: 20 } },
        },
        { type: 'object', required: ['kind'], properties: { kind: { const: 'dataset' } } },
      ],
    };
    const { diagnostics } = await lintBody('input', schema);
    const pointers = diagnostics.filter(({ rule }) => rule === 'in-default-applies').map(({ pointer }) => pointer);
    assert.deepEqual(pointers, ['/input/anyOf/0/properties/limit/default']);
  });

  for (const [place, schema] of Object.entries({
    'a condition': {
      type: 'object',
      properties: {},
      if: { properties: { a: { type: 'string', maxLength: 2, default: 'b' } } },
    },
    'a model that is referred to': {
      properties: { a: { $ref: '#/$defs/A' } },
      $defs: { A: { type: 'string', maxLength: 2, default: 'b' } },
    },
    'a list item': {
      properties: { a: { type: 'array', maxItems: 2, items: { type: 'string', maxLength: 2, default: 'b' } } },
    },
  })) {
    it(`is refused in ${place}`, async () =>
      assert.equal((await found('input', schema, 'in-default-applies')).length, 1));
  }

  it('is accepted on members of members', async () => {
    const schema = {
      properties: {
        page: { type: 'object', properties: { limit: { type: 'integer', minimum: 1, maximum: 9, default: 2 } } },
      },
    };
    assert.deepEqual(await found('input', schema, 'in-default-applies'), []);
  });
});

describe('a pattern that backtracks', () => {
  const pattern = (text: string): object => ({
    properties: { slug: { type: 'string', maxLength: 80, pattern: text, description: 'A short name.' } },
  });

  for (const slow of ['^([a-z0-9]+[-_.]?)+$', '^(a|aa)+$', '^(\\w+\\s?)*$', '^(.*,){11}P$', '^(?:a|b|ab)*c$']) {
    it(`is refused: ${slow}`, async () =>
      assert.equal((await found('input', pattern(slow), 'in-pattern-safe')).length, 1));
  }

  for (const fine of [
    '^[a-z][a-z0-9_]{0,47}$',
    '^\\d{4}-\\d{2}-\\d{2}$',
    '^[a-z0-9]+(?:-[a-z0-9]+)*$',
    '^(?:ok|error)$',
    '^[0-9a-f]{32}$',
    '^(?!-)[a-z-]{1,20}$',
  ]) {
    it(`is accepted when it is linear: ${fine}`, async () =>
      assert.deepEqual(await found('input', pattern(fine), 'in-pattern-safe'), []));
  }

  it('is never run by the compiler, not even on an example', async () => {
    const schema = {
      properties: {
        slug: {
          type: 'string',
          maxLength: 80,
          pattern: '^([a-z0-9]+[-_.]?)+$',
          examples: [`${'a'.repeat(60)}!`],
          description: 'A short name.',
        },
      },
    };
    const before = performance.now();
    assert.equal((await found('input', schema, 'in-pattern-safe')).length, 1);
    assert.ok(performance.now() - before < 10_000);
  });

  it('is refused when only a part of the text has to match, or when it does not compile', async () => {
    for (const text of ['[a-z]+', '^a|b$', '^a', '^(a$', '\\-']) {
      assert.equal((await found('input', pattern(text), 'in-pattern-safe')).length, 1, text);
    }
  });

  it('needs a greatest length in front of it', async () => {
    const lines = await found(
      'input',
      { properties: { slug: { type: 'string', pattern: '^[a-z]+$' } } },
      'in-bounded-string',
    );
    assert.equal(lines.length, 1);
  });
});

describe('uniqueItems over objects', () => {
  const rows = (more: object): object => ({
    properties: {
      rows: {
        type: 'array',
        uniqueItems: true,
        items: { type: 'object', properties: { a: { type: 'boolean' } } },
        ...more,
      },
    },
  });

  it('needs a small maxItems', async () => {
    assert.equal((await found('input', rows({}), 'in-unique-items')).length, 1);
    assert.equal((await found('input', rows({ maxItems: 8000 }), 'in-unique-items')).length, 1);
    assert.deepEqual(await found('input', rows({ maxItems: 500 }), 'in-unique-items'), []);
  });
});

describe('an unknown format, keyword or dialect', () => {
  it('names the format', async () => {
    const [line = ''] = await found(
      'input',
      { properties: { since: { type: 'string', maxLength: 40, format: 'datetime' } } },
      'in-format-allowlist',
    );
    assert.match(line, /`datetime`.*Did you mean `date-time`/u);
  });

  it('names the keyword', async () => {
    const [line = ''] = await found('input', { properties: { a: { type: 'string', maxLenght: 4 } } }, 'grammar');
    assert.match(line, /`maxLenght` is not a key.*Did you mean `maxLength`/u);
  });

  for (const keyword of ['tsType', '$id', '$anchor', '$dynamicRef', 'readOnly', 'definitions', 'nullable']) {
    it(`refuses the keyword ${keyword}`, async () => {
      const lines = await found(
        'input',
        { properties: { a: { type: 'string', maxLength: 4, [keyword]: 'x' } } },
        'grammar',
      );
      assert.ok(lines.some((line) => line.includes(`\`${keyword}\` is not a key`)));
    });
  }

  it('names the dialect', async () => {
    const schema = { $schema: 'http://json-schema.org/draft-04/schema#', properties: {} };
    const [line = ''] = await found('input', schema, 'schema-dialect');
    assert.match(line, /draft-04.*is not supported/u);
  });

  it('takes bodies without a dialect for 2020-12', async () => {
    const file = { type: 'string', maxLength: 9, description: 'Name of the file.' };
    const schema = {
      properties: { file, sha256: { ...file, description: 'Digest of the file.' } },
      dependentRequired: { file: ['sha256'] },
    };
    const wrong = await lint(
      edited({ 'create_note:/input': schema, 'create_note:/examples': [{ name: 'is tried', input: { file: 'a' } }] }),
    );
    assert.ok(
      wrong.lines.some((line) => /examples-validate: .*needs the key `sha256` beside `file`/u.test(line)),
      wrong.lines.join('\n'),
    );
  });
});

describe('a schema that some model provider refuses', () => {
  const cases: readonly (readonly [string, string, object])[] = [
    [
      'several types',
      'portable-input',
      { properties: { value: { type: ['string', 'integer'], maxLength: 4, minimum: 0, maximum: 4 } } },
    ],
    ['a union at the root', 'in-union-root', { anyOf: [{ required: ['a'] }], properties: { a: { type: 'boolean' } } }],
    [
      'a tuple',
      'portable-input',
      { properties: { a: { type: 'array', maxItems: 1, prefixItems: [{ type: 'boolean' }], items: false } } },
    ],
    ['const without type', 'portable-input', { properties: { a: { const: 'x' } } }],
    ['an enum of numbers', 'portable-input', { properties: { a: { type: 'integer', enum: [1, 2] } } }],
    ['required without members', 'schema-required', { properties: { a: { required: ['b'] } } }],
  ];
  for (const [what, rule, schema] of cases) {
    it(`is reported with its place: ${what}`, async () => assert.equal((await found('input', schema, rule)).length, 1));
  }
});

describe('a tool name outside the portable set', () => {
  it('is refused with the rule named', async () => {
    const { lines } = await lint(edited({ 'create_note:/name': 'evaluations.start/run' }));
    assert.ok(
      lines.some((line) => line.startsWith(`${TOOL}:2:7 name-format: `)),
      lines.join('\n'),
    );
  });
});
