import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listFiles } from '../../../codegen/write/tree-files.ts';
import { baseTree } from '../support/contract-tree.ts';
import { emitTree, removeFolder, REPOSITORY, typecheck, workFolder } from '../support-back/workshop.ts';
import type { TypeFault } from '../support-back/workshop.ts';

/** What the hand-written file of each project owes, and what the compiler says about it. */
const OWED: Readonly<Record<string, readonly [file: string, message: RegExp]>> = {
  'missing-adapter': ['adapters.ts', /^TS2741 Property 'get_note' is missing/u],
  'left-over-adapter': ['adapters.ts', /^TS2561 .*'get_noted'.*Did you mean to write 'get_note'/u],
  'wrong-output': ['adapters.ts', /^TS2322 .*/u],
  'unknown-input': [
    'adapters.ts',
    /^TS2551 Property 'txt' does not exist on type 'CreateNoteInput'. Did you mean 'text'/u,
  ],
  'missing-reader': ['readers.ts', /^TS2741 Property 'note' is missing/u],
  'missing-job-handler': ['jobs.ts', /^TS2741 Property 'note_export' is missing/u],
  'missing-error-case': ['get_note.ts', /^TS2741 Property 'note_not_found' is missing/u],
  'missing-isolation-case': ['get_note.ts', /^TS2345 .*/u],
  'no-success-case': ['get_note.ts', /^TS2322 .*is not assignable to type 'never'/u],
  'undeclared-error-case': ['get_note.ts', /^TS2561 .*'note_lost'|^TS2353 .*'note_lost'/u],
};

describe('hand-written code', () => {
  let faults: readonly TypeFault[] = [];

  before(async function () {
    this.timeout(60_000);
    const files = new Map([...(await emitTree(baseTree()))].map(([path, text]) => [`generated/${path}`, text]));
    for (const path of [
      'support/describe-tool.ts',
      ...listFiles(join(REPOSITORY, 'tests/types')).map((one) => `types/${one}`),
    ]) {
      files.set(`tests/${path}`, readFileSync(join(REPOSITORY, 'tests', path), 'utf8'));
    }
    const folder = workFolder(files);
    try {
      faults = typecheck(folder);
    } finally {
      removeFolder(folder);
    }
  });

  const said = (project: string): string[] =>
    faults
      .filter(({ file }) => file.startsWith(`tests/types/${project}/`))
      .map(({ file, code, message }) => `${file.split('/').at(-1) ?? ''} ${code} ${message}`);

  it('compiles where it gives everything the contracts ask for', () => {
    assert.deepEqual(said('fitting'), []);
    assert.deepEqual(
      faults.filter(({ file }) => !file.startsWith('tests/types/')),
      [],
    );
  });

  for (const [project, [file, message]] of Object.entries(OWED)) {
    it(`does not compile with a ${project.replaceAll('-', ' ')}, and the fault is in its own file`, () => {
      const lines = said(project);
      assert.ok(lines.length > 0, 'it compiles');
      assert.ok(
        lines.every((line) => line.startsWith(`${file} `)),
        lines.join('\n'),
      );
      assert.ok(
        lines.some((line) => message.test(line.slice(file.length + 1))),
        lines.join('\n'),
      );
    });
  }
});
