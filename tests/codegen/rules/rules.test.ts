import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { formatDiagnostic } from '../../../codegen/load/diagnostics.ts';
import { RULES } from '../../../codegen/rules/index.ts';
import { baseTree, edited, lintHeld } from '../support/contract-tree.ts';
import type { Edits } from '../support/contract-tree.ts';

interface Fixture {
  readonly breaks: Edits;
  readonly keeps: Edits;
  readonly also?: readonly string[];
}

// because the file is written beside this test in exactly this shape
const fixtures = parse(readFileSync(new URL('../fixtures/rules.yaml', import.meta.url), 'utf8')) as Record<
  string,
  Fixture
>;

describe('contract rules', () => {
  it('finds nothing in the base tree', async () => {
    assert.deepEqual((await lintHeld(baseTree())).lines, []);
  });

  it('has a breaking and a keeping fixture for every rule', () => {
    const missing = RULES.filter(({ id }) => fixtures[id]?.breaks === undefined || fixtures[id].keeps === undefined);
    assert.deepEqual(
      missing.map(({ id }) => id),
      [],
    );
  });

  it('gives every rule an id of its own and a sentence', () => {
    assert.equal(new Set(RULES.map(({ id }) => id)).size, RULES.length);
    for (const { id, sentence } of RULES) assert.match(sentence, /^[A-Z].*\.$/u, id);
  });

  for (const [id, { breaks, keeps, also = [] }] of Object.entries(fixtures)) {
    it(`reports a breach of ${id} and nothing else`, async () => {
      const { diagnostics, lines } = await lintHeld(edited(breaks));
      const found = diagnostics.filter(({ rule }) => rule === id);
      assert.ok(found.length > 0, `no ${id} in\n${lines.join('\n')}`);
      const level = RULES.find((rule) => rule.id === id)?.level ?? 'error';
      assert.deepEqual([...new Set(found.map((one) => one.level))], [level]);
      assert.ok(found.every(({ position }) => position.line >= 1 && position.column >= 1));
      const others = diagnostics.filter((one) => one.rule !== id && one.level !== 'info' && !also.includes(one.rule));
      assert.deepEqual(
        others.map(({ rule, message }) => `${rule}: ${message}`),
        [],
      );
    });

    it(`accepts what keeps ${id}`, async () => {
      const { diagnostics } = await lintHeld(edited(keeps));
      // What is only worth knowing may be found beside it: a fixture is no model of style.
      const open = diagnostics.filter((one) => one.rule === id || one.level !== 'info');
      assert.deepEqual(open.map(formatDiagnostic), []);
    });
  }
});
