import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { judge } from '../support-back/verdicts.ts';
import type { Judged, Question } from '../support-back/verdicts.ts';
import { removeFolder } from '../support-back/workshop.ts';
import { arbitrarySchema, isExpressible, valuesFor } from '../support-back/arbitrary-schema.ts';
import type { Schema } from '../support-back/arbitrary-schema.ts';

interface Case {
  readonly says: string;
  readonly schema: Schema;
  readonly good: readonly unknown[];
  readonly bad: readonly unknown[];
}

const text = { type: 'string' };
const whole = { type: 'integer' };

const CASES: readonly Case[] = [
  {
    says: 'a tuple of fixed length',
    schema: {
      required: ['window'],
      properties: { window: { type: 'array', prefixItems: [text, whole], items: false, minItems: 2 } },
    },
    good: [{ window: ['p95', 5] }],
    bad: [{ window: ['p95'] }, { window: ['p95', 5, 1] }, { window: [5, 'p95'] }],
  },
  {
    says: 'a tuple whose end may be missing',
    schema: { required: ['pair'], properties: { pair: { type: 'array', prefixItems: [text, whole], items: false } } },
    good: [{ pair: [] }, { pair: ['a'] }, { pair: ['a', 1] }],
    bad: [{ pair: [1] }, { pair: ['a', 1, 2] }],
  },
  {
    says: 'a tuple with a typed rest',
    schema: {
      required: ['row'],
      properties: { row: { type: 'array', prefixItems: [text], items: whole, minItems: 1, maxItems: 9 } },
    },
    good: [{ row: ['a'] }, { row: ['a', 1, 2] }],
    bad: [{ row: [] }, { row: ['a', 'b'] }],
  },
  {
    says: 'an object closed over a composition',
    schema: {
      type: 'object',
      allOf: [{ type: 'object', properties: { id: text }, required: ['id'] }],
      properties: { name: text },
      unevaluatedProperties: false,
    },
    good: [{ id: 'a', name: 'n' }, { id: 'a' }],
    bad: [{ id: 'a', nme: 'n' }, { name: 'n' }],
  },
  {
    says: 'members made required by a branch',
    schema: {
      properties: { dataset_id: text, note: text },
      additionalProperties: false,
      allOf: [{ required: ['dataset_id'] }],
    },
    good: [{ dataset_id: 'd' }, { dataset_id: 'd', note: 'n' }],
    bad: [{ note: 'n' }, { dataset_id: 'd', extra: 1 }],
  },
  {
    says: 'one of two required members',
    schema: { properties: { id: text, name: text }, anyOf: [{ required: ['id'] }, { required: ['name'] }] },
    good: [{ id: 'a' }, { name: 'n' }, { id: 'a', name: 'n' }],
    bad: [{}, { id: 1 }],
  },
  {
    says: 'named members beside a pattern of names',
    schema: {
      required: ['version'],
      properties: { version: whole },
      patternProperties: { '^x-': text },
      additionalProperties: false,
    },
    good: [{ version: 1 }, { version: 1, 'x-a': 'b' }],
    bad: [{ version: 1, y: 'a' }, { version: 1, 'x-a': 2 }, { version: 'a' }],
  },
  {
    says: 'a map',
    schema: { properties: { counts: { type: 'object', additionalProperties: whole, maxProperties: 9 } } },
    good: [{ counts: {} }, { counts: { a: 1 } }],
    bad: [{ counts: { a: 'b' } }, { counts: [] }],
  },
  {
    says: 'members called like keywords',
    schema: {
      required: ['description'],
      properties: {
        description: text,
        title: text,
        default: whole,
        enum: { type: 'array', items: text },
        type: text,
        $ref: text,
        $id: text,
        items: text,
        anyOf: text,
      },
    },
    good: [
      { description: 'd', title: 't', default: 1, enum: ['a'], type: 't', $ref: 'r', $id: 'i', items: 'x', anyOf: 'y' },
    ],
    bad: [
      { title: 't' },
      { description: 'd', default: 'x' },
      { description: 'd', enum: 'a' },
      { description: 'd', $ref: 1 },
    ],
  },
  {
    says: 'values made of symbols',
    schema: {
      required: ['op'],
      properties: {
        op: { type: 'string', enum: ['&&', '||', 'p-95', 'p_95', 'p.95', 'p95', '"', '\\', '`${x}`', '\u2028'] },
      },
    },
    good: ['&&', '||', 'p-95', 'p_95', 'p.95', 'p95', '"', '\\', '`${x}`', '\u2028'].map((op) => ({ op })),
    bad: [{ op: 'p 95' }, { op: 'P95' }],
  },
  {
    says: 'a base with one of two shapes',
    schema: {
      type: 'object',
      $ref: '#/$defs/Base',
      unevaluatedProperties: false,
      oneOf: [
        { required: ['file'], properties: { file: text } },
        { required: ['url'], properties: { url: text } },
      ],
      $defs: { Base: { properties: { project_id: text } } },
    },
    good: [{ project_id: 'p', url: 'u' }, { file: 'f' }],
    bad: [{ project_id: 'p', url: 'u', x: 1 }, { project_id: 'p' }, { file: 'f', url: 'u' }],
  },
  {
    says: 'shapes told apart by a constant',
    schema: {
      required: ['by'],
      properties: {
        by: {
          oneOf: [
            { required: ['kind', 'id'], properties: { kind: { const: 'id' }, id: text } },
            { required: ['kind', 'rank'], properties: { kind: { const: 'rank' }, rank: whole } },
          ],
        },
      },
    },
    good: [{ by: { kind: 'id', id: 'a' } }, { by: { kind: 'rank', rank: 1 } }],
    bad: [{ by: { kind: 'id', rank: 1 } }, { by: { kind: 'id', id: 'a', rank: 1 } }, { by: { kind: 'no', id: 'a' } }],
  },
  {
    says: 'two shared shapes that nothing tells apart',
    schema: {
      required: ['who'],
      properties: { who: { anyOf: [{ $ref: '#/$defs/Person' }, { $ref: '#/$defs/Team' }] } },
      $defs: {
        Person: { required: ['person'], properties: { person: text } },
        Team: { required: ['team'], properties: { team: text, size: whole } },
      },
    },
    good: [{ who: { person: 'a' } }, { who: { team: 'b', size: 1 } }],
    bad: [{ who: { person: 'a', team: 'b' } }, { who: { person: 'a', size: 1 } }, { who: {} }],
  },
  {
    says: 'a member that needs another',
    schema: { properties: { file: text, sha256: text }, dependentRequired: { file: ['sha256'] } },
    good: [{}, { sha256: 's' }, { file: 'f', sha256: 's' }],
    bad: [{ file: 'f' }],
  },
  {
    says: 'nullable values of every kind',
    schema: {
      properties: {
        a: { type: ['string', 'null'] },
        b: { anyOf: [{ $ref: '#/$defs/B' }, { type: 'null' }] },
        c: { enum: ['x', null] },
      },
      $defs: { B: { required: ['n'], properties: { n: whole } } },
    },
    good: [
      { a: null, b: null, c: null },
      { a: 's', b: { n: 1 }, c: 'x' },
    ],
    bad: [{ a: 1 }, { b: {} }, { c: 'y' }],
  },
  {
    says: 'a shape that contains itself',
    schema: {
      required: ['tree'],
      properties: { tree: { $ref: '#/$defs/Tree' } },
      $defs: {
        Tree: {
          required: ['label'],
          properties: { label: text, children: { type: 'array', maxItems: 9, items: { $ref: '#/$defs/Tree' } } },
        },
      },
    },
    good: [{ tree: { label: 'a' } }, { tree: { label: 'a', children: [{ label: 'b', children: [] }] } }],
    bad: [{ tree: { label: 'a', children: [{ title: 'b' }] } }, { tree: {} }],
  },
  {
    says: 'an object that is open on purpose',
    schema: {
      properties: {
        data: { type: 'object', open: 'It is the caller’s own.', required: ['id'], properties: { id: text } },
      },
    },
    good: [{ data: { id: 'a', more: [1, null] } }],
    bad: [{ data: {} }, { data: { id: 1 } }],
  },
];

/** Schemas that the generator draws; the seed is fixed so that a failure can be met again. */
const DRAWN = fc.sample(arbitrarySchema(), { seed: 20_260_207, numRuns: 110 }).filter(isExpressible);

describe('types and validators', () => {
  let judged: Judged | undefined;
  const verdicts = (prefix: string): Judged['verdicts'] =>
    (judged?.verdicts ?? []).filter(({ tool }) => tool.startsWith(prefix));

  before(async function () {
    this.timeout(120_000);
    const questions: Question[] = [];
    const tools = Object.fromEntries([
      ...CASES.map(({ schema, good, bad }, index) => {
        for (const value of [...good, ...bad]) questions.push({ tool: `try_case${index}`, side: 'output', value });
        return [`try_case${index}`, { output: schema }] as const;
      }),
      ...DRAWN.map((schema, index) => {
        for (const value of valuesFor(schema, index))
          questions.push({ tool: `try_drawn${index}`, side: 'output', value });
        return [`try_drawn${index}`, { output: schema }] as const;
      }),
    ]);
    judged = await judge(tools, questions);
  });

  after(() => (judged === undefined ? undefined : removeFolder(judged.folder)));

  it('come from files that the type checker accepts', () => {
    assert.deepEqual(judged?.otherFaults, []);
  });

  for (const [index, { says, good, bad }] of CASES.entries()) {
    it(`agree on ${says}`, () => {
      const told = verdicts(`try_case${index}`).filter(({ tool }) => tool === `try_case${index}`);
      const expected = [...good.map(() => true), ...bad.map(() => false)];
      assert.deepEqual(
        told.map(({ valid }) => valid),
        expected,
        'validator',
      );
      assert.deepEqual(
        told.map(({ compiles, typeFault, value }) => ({ value, compiles, typeFault: compiles ? '' : typeFault })),
        told.map(({ value, typeFault }, at) => ({
          value,
          compiles: expected[at],
          typeFault: expected[at] === true ? '' : typeFault,
        })),
        'type',
      );
    });
  }

  it('agree on every value of schemas drawn at random', () => {
    const drawn = verdicts('try_drawn');
    const apart = drawn.filter(({ compiles, wellShaped }) => compiles !== wellShaped);
    assert.deepEqual(
      apart.slice(0, 5).map((one) => ({ ...one, schema: JSON.stringify(DRAWN[Number(one.tool.slice(9))]) })),
      [],
    );
    const accepted = drawn.filter(({ valid }) => valid).length;
    assert.ok(
      accepted > 100 && drawn.length - accepted > 100,
      `${accepted} of ${drawn.length} are valid, too few on one side`,
    );
    assert.deepEqual(
      drawn.filter(({ valid, wellShaped }) => valid && !wellShaped),
      [],
    );
  });
});
