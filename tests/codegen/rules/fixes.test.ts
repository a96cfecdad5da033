import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { fixTexts } from '../../../codegen/cli/lint-fix.ts';
import { RULES } from '../../../codegen/rules/index.ts';
import { baseTree, edited, lintHeld } from '../support/contract-tree.ts';
import { inProject, run } from '../support-back/command.ts';

interface Slip {
  readonly rule: string;
  readonly file: string;
  readonly good: string;
  readonly bad: string;
  readonly fixed?: string;
  /** The fix of this slip changes other files too. */
  readonly elsewhere?: boolean;
}

// because the file is written beside this test in exactly this shape
const slips = parse(readFileSync(new URL('../fixtures/fixes.yaml', import.meta.url), 'utf8')) as readonly Slip[];
const TODAY = '2026-11-30';

function texts(): Map<string, string> {
  return new Map([...baseTree()].map(([file, text]) => [file, String(text)]));
}

describe('fixes', () => {
  it('are shown for every rule that promises one', () => {
    const promised = RULES.filter(({ fixes }) => fixes === 'always' || fixes === 'some').map(({ id }) => id);
    assert.deepEqual([...new Set(slips.map(({ rule }) => rule))].sort(), promised.sort());
  });

  for (const [index, { rule, file: stem, good, bad, fixed = good, elsewhere = false }] of slips.entries()) {
    it(`mend ${rule} in place and once (${index + 1})`, async () => {
      const file = `${stem}.yaml`;
      const tree = texts();
      const base = tree.get(file) ?? '';
      assert.ok(base.includes(good), good);
      tree.set(
        file,
        base.replace(good, () => bad),
      );
      assert.ok(
        (await lintHeld(tree)).diagnostics.some((one) => one.rule === rule),
        'the slip is one',
      );
      const mended = await fixTexts(tree, TODAY);
      const after = new Map(mended.files.map((one) => [one.file, one.after]));
      assert.equal(
        after.get(file) ?? tree.get(file),
        base.replace(good, () => fixed),
      );
      if (!elsewhere)
        assert.deepEqual(
          [...after.keys()].filter((one) => one !== file),
          [],
        );
      for (const [one, text] of after) tree.set(one, text);
      assert.deepEqual(
        (await lintHeld(tree)).diagnostics.filter((one) => one.rule === rule),
        [],
      );
      assert.deepEqual((await fixTexts(tree, TODAY)).files, []);
    });
  }

  it('are written by --fix, shown by --dry-run, and said', async () => {
    const files = edited({ 'list_notes:/behaviour/idempotent': false });
    await inProject(async (folder) => {
      const path = join(folder, 'schemas/tools/notes/list_notes.yaml');
      const before = readFileSync(path, 'utf8');
      const dry = await run(folder, 'lint', '--fix', '--dry-run');
      assert.equal(dry.code, 1);
      assert.match(dry.err, /^-.*idempotent: false$/mu);
      assert.match(dry.err, /^\+.*idempotent: true$/mu);
      assert.equal(readFileSync(path, 'utf8'), before);
      const { code, err } = await run(folder, 'lint', '--fix');
      assert.equal(code, 0);
      assert.match(
        err,
        /fixed schemas\/tools\/notes\/list_notes\.yaml:\d+:\d+ hint-coherent: Write `idempotent: true`/u,
      );
      assert.match(readFileSync(path, 'utf8'), /idempotent: true/u);
      assert.match((await run(folder, 'lint', '--fix')).err, /Nothing to fix/u);
      assert.equal((await run(folder, 'lint', '--dry-run')).code, 2);
    }, files);
  });

  it('leave warnings to --max-warnings', async () => {
    const files = edited({ 'get_note:/description': 'Read one note of the project.' });
    await inProject(async (folder) => {
      assert.equal((await run(folder, 'lint')).code, 0);
      assert.equal((await run(folder, 'lint', '--max-warnings', '1')).code, 0);
      const { code, err } = await run(folder, 'lint', '--max-warnings', '0');
      assert.equal(code, 1);
      assert.match(err, /1 warning, and --max-warnings allows 0/u);
      assert.equal((await run(folder, 'lint', '--max-warnings', 'few')).code, 2);
    }, files);
  });
});
