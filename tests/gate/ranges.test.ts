import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readRange } from '../../codegen/baseline/range.ts';
import { run } from '../codegen/support-back/command.ts';

describe('both ends of a comparison', () => {
  let folder: string;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'range-'));
    for (const name of ['a', 'b', 'with..dots', 'inner']) mkdirSync(join(folder, name));
    cpSync('schemas/releases/1.0.0.json', join(folder, 'one.json'));
    cpSync('schemas/releases/1.0.0.json', join(folder, 'two.json'));
  });

  after(() => rmSync(folder, { recursive: true, force: true }));

  const cases: readonly (readonly [text: string, from: string | undefined, to?: string, forked?: boolean])[] = [
    ['main..HEAD', 'main', 'HEAD'],
    ['main...HEAD', 'main', 'HEAD', true],
    ['v1.2.3..v1.3.0', 'v1.2.3', 'v1.3.0'],
    ['HEAD~2..', 'HEAD~2', ''],
    ['..feature', '', 'feature'],
    ['./a..b', './a', 'b'],
    ['inner/../a..b', 'inner/../a', 'b'],
    ['./one.json..two.json', './one.json', 'two.json'],
    ['./one.json..', './one.json', ''],
    ['inner/../a..inner/../b', 'inner/../a', 'inner/../b'],
    ['https://one.invalid/mcp..https://two.invalid/mcp', 'https://one.invalid/mcp', 'https://two.invalid/mcp'],
    ['one.json..https://two.invalid/mcp', 'one.json', 'https://two.invalid/mcp'],
    ['with..dots', undefined],
    ['../a', undefined],
    ['./missing..b', undefined],
    ['one.json', undefined],
  ];
  for (const [text, from, to = '', forked = false] of cases) {
    it(`reads ${text} as ${from === undefined ? 'one name' : `"${from}" and "${to}"`}`, () => {
      assert.deepEqual(readRange(text, folder), from === undefined ? undefined : { from, to, forked });
    });
  }

  it('compares snapshots in a folder without contracts, and asks for the other side when only one is named', async () => {
    const both = await run(folder, 'diff', './one.json..two.json');
    assert.match(both.out, /no findings/u);
    assert.equal(both.code, 0);
    const alone = await run(folder, 'diff', './one.json');
    assert.equal(alone.code, 2);
    assert.match(
      alone.err,
      /^There is no contract folder .*schemas; name one with --schemas, or both sides as A\.\.B\.\n$/u,
    );
    const missing = await run(folder, 'diff', './missing..two.json');
    assert.equal(missing.code, 2);
  });
});
