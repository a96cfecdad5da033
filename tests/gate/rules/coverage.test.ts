import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SCHEMA_RULES } from '../../../codegen/diff/rules/catalogue.ts';
import { RULES } from '../../../codegen/diff/rules/index.ts';

const ABOUT_SCHEMAS = new Set(SCHEMA_RULES.map(({ id }) => id));

describe('the catalogue of rules', () => {
  it('has one rule for each id, with a reason and an advice', () => {
    assert.equal(new Set(RULES.map(({ id }) => id)).size, RULES.length);
    for (const { id, rationale, migration, sets } of RULES) {
      assert.match(rationale, /\.$/u, id);
      assert.match(migration, /\.$/u, id);
      assert.ok(sets.length > 0, id);
    }
  });

  it('tries each rule that is not about schemas on a change that breaks it', () => {
    const texts = readdirSync('tests/gate', { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.test.ts') && !entry.name.startsWith('coverage'))
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
      .join('\n');
    const untried = RULES.filter(({ verdict }) => verdict !== 'safe')
      .map(({ id }) => id)
      .filter((id) => !ABOUT_SCHEMAS.has(id) && !texts.includes(`'${id}'`));
    assert.deepEqual(untried, []);
  });
});
