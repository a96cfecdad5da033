import assert from 'node:assert/strict';
import { edited } from '../support/contract-tree.ts';
import { inProject, run } from '../support-back/command.ts';
import type { Answer } from '../support-back/command.ts';
import { runCli } from '../../../codegen/cli/run.ts';

const SHORT = { 'get_note:/description': 'Read one note of the project.' };
const REASON = 'A short sentence says all there is to say.';

function lintWith(suppress: unknown, edits: Readonly<Record<string, unknown>> = SHORT): Promise<Answer> {
  const files = edited({ ...edits, 'get_note:/suppress': suppress });
  return inProject((folder) => run(folder, 'lint', '--format', 'json'), files);
}

function rulesOf(answer: Answer): string[] {
  // because lint prints this shape
  const { diagnostics } = JSON.parse(answer.out) as { diagnostics: { rule: string; message: string }[] };
  return diagnostics.map(({ rule, message }) => `${rule}: ${message}`);
}

describe('suppressions', () => {
  it('answer a warning with a reason and are counted', async () => {
    const answer = await lintWith([{ rule: 'desc-length', reason: REASON }]);
    assert.equal(answer.code, 0);
    const told = JSON.parse(answer.out) as { suppressed: { rule: string; reason: string }[] };
    assert.deepEqual(
      told.suppressed.map(({ rule, reason }) => [rule, reason]),
      [['desc-length', REASON]],
    );
  });

  it('fail when nothing is there to answer', async () => {
    const answer = await lintWith([{ rule: 'desc-length', reason: REASON }], {});
    assert.equal(answer.code, 1);
    assert.deepEqual(rulesOf(answer), ['suppress-reason: `desc-length` finds nothing in this file.']);
  });

  it('leave the finding open without a reason worth the name', async () => {
    assert.deepEqual(rulesOf(await lintWith([{ rule: 'desc-length', reason: 'because' }])), [
      'desc-length: The description is shorter than a sentence.',
      'suppress-reason: The reason is too short to judge.',
    ]);
    assert.equal((await lintWith([{ rule: 'desc-length' }])).code, 1);
  });

  it('do not reach what blocks, and suggest the nearest rule for a name that is none', async () => {
    const [blocking] = rulesOf(await lintWith([{ rule: 'xref-tool', reason: REASON }], {}));
    assert.equal(blocking, 'suppress-reason: `xref-tool` blocks and cannot be suppressed.');
    const unknown = await lintWith([{ rule: 'desc-lenght', reason: REASON }], {});
    assert.match(unknown.out, /Did you mean `desc-length`\?/u);
  });

  it('count until their last day and not after it', async () => {
    const files = edited({
      ...SHORT,
      'get_note:/suppress': [{ rule: 'desc-length', reason: REASON, until: '2030-06-30' }],
    });
    const lintOn = (day: string): Promise<number> =>
      inProject(
        (cwd) =>
          runCli(['lint'], {
            out: () => undefined,
            err: () => undefined,
            color: false,
            cwd,
            now: () => new Date(`${day}T12:00:00Z`),
            onStop: () => undefined,
          }),
        files,
      );
    assert.equal(await lintOn('2030-06-30'), 0);
    assert.equal(await lintOn('2030-07-01'), 1);
  });
});
