import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { Document, visit } from 'yaml';
import type { Scalar } from 'yaml';
import { readPlainYaml } from '../../../codegen/load/read-plain-yaml.ts';
import { readFullYaml } from '../../../codegen/load/read-yaml.ts';

const ROOTS = ['../../../schemas/', '../fixtures/base/'];

function contractFiles(): string[] {
  return ROOTS.flatMap((root) => {
    const folder = new URL(root, import.meta.url).pathname;
    const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
    return entries.filter(({ name }) => name.endsWith('.yaml')).map(({ parentPath, name }) => join(parentPath, name));
  });
}

/** When the quick reader answers, its nodes are exactly those of the full parser, which must find no fault. */
function assertSame(text: string): boolean {
  const quick = readPlainYaml(text);
  if (quick === undefined) return false;
  const { node, faults } = readFullYaml(text);
  assert.deepEqual({ text, faults, node: quick }, { text, faults: [], node });
  return true;
}

const WORDS = [
  'a',
  'yes',
  'true',
  'null',
  '1',
  '007',
  '1.5',
  '1e3',
  '-',
  '- a',
  'a: b',
  'a #b',
  '#a',
  '*a',
  '&a',
  '!a',
  'x, y',
  '{a}',
  '[a]',
  '|',
  '>',
  '~',
  "it's",
  '"q"',
  'ä 😀',
  '.5',
  '0x1f',
  '-0',
  '1_000',
  '?',
  'a:',
  ': a',
  '%',
  '@',
  '`',
  '---',
  'line\nnext',
  'two\n\nparts\n',
  ' lead',
  'trail ',
  '',
];

const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<unknown>(...WORDS, 0, 1, -7, 2.5, true, false, null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('name', 'kind', '$ref', 'x-y', 'yes', 'a b', '1', 'type'), tie('value'), {
      maxKeys: 4,
    }),
  ),
})).value;

const STYLES: readonly NonNullable<Scalar['type']>[] = [
  'PLAIN',
  'QUOTE_DOUBLE',
  'QUOTE_SINGLE',
  'BLOCK_LITERAL',
  'BLOCK_FOLDED',
];

/** Writes a value with scalars and collections in changing styles. */
function written(root: Record<string, unknown>, styles: readonly number[], indent: number, indentSeq: boolean): string {
  const document = new Document(root);
  let turn = 0;
  const next = (): number => styles[turn++ % styles.length] ?? 0;
  visit(document, {
    Scalar: (key, node) => {
      const style = STYLES[next() % STYLES.length];
      if (key !== 'key' && style !== undefined && typeof node.value === 'string') node.type = style;
    },
    Collection: (_key, node) => {
      node.flow = next() % 3 === 0;
    },
  });
  return document.toString({ indent, indentSeq, lineWidth: 0 });
}

describe('the quick reader', () => {
  it('reads every contract of this repository as the full parser does, without its help', () => {
    const slow = contractFiles().filter((path) => !assertSame(readFileSync(path, 'utf8')));
    assert.deepEqual(slow, []);
  });

  it('agrees with the full parser on written documents of every style', () => {
    let answered = 0;
    let asked = 0;
    const root = fc.dictionary(fc.constantFrom('kind', 'name', 'input', 'output'), value, { minKeys: 1, maxKeys: 4 });
    const styles = fc.array(fc.nat(30), { minLength: 5, maxLength: 20 });
    fc.assert(
      fc.property(root, styles, fc.constantFrom(2, 4), fc.boolean(), (one, style, indent, indentSeq) => {
        asked += 1;
        if (assertSame(written(one, style, indent, indentSeq))) answered += 1;
      }),
      { numRuns: 600, seed: 20261130 },
    );
    assert.ok(answered > asked / 10, `${answered} of ${asked}`);
  });

  it('agrees with the full parser on texts that were damaged at random', () => {
    const texts = contractFiles()
      .slice(0, 20)
      .map((path) => readFileSync(path, 'utf8').slice(0, 600));
    const cut = fc.tuple(
      fc.constantFrom(...texts),
      fc.nat(599),
      fc.nat(3),
      fc.constantFrom(
        '',
        ' ',
        '\n',
        '  ',
        ':',
        '- ',
        '{',
        '}',
        '"',
        "'",
        '#',
        '|',
        '> ',
        ',',
        '\n\n',
        '&a ',
        '*a',
        '!t ',
        '\t',
        '? ',
        '%',
      ),
    );
    fc.assert(
      fc.property(cut, ([text, at, length, put]) => {
        assertSame(`${text.slice(0, at)}${put}${text.slice(at + length)}\n`);
      }),
      { numRuns: 1500, seed: 20261130 },
    );
  });

  for (const text of [
    'a: &x 1\n',
    'a: *x\n',
    'a: !t 1\n',
    '<<: { a: 1 }\n',
    'a: yes\n',
    'a: 007\n',
    'a: 1\na: 2\n',
    'a:\n',
    'a: b\n  c\n',
    '__proto__: 1\n',
    'a: |2\n  b\n',
    'a: "b\n  c"\n',
    '---\na: 1\n',
    'a:\tb\n',
    '? a\n: b\n',
    'a: b: c\n',
    'a: 1',
  ]) {
    it(`leaves ${JSON.stringify(text)} to the full parser`, () => assert.equal(readPlainYaml(text), undefined));
  }
});
