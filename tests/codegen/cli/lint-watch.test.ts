import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { eventually } from '../../support/eventually.ts';
import { inProject } from '../support-back/command.ts';
import { REPOSITORY } from '../support-back/workshop.ts';

describe('lint --watch', () => {
  it('answers each edit, says how long it took, and ends with the state of the last', () =>
    inProject(async (folder) => {
      const tsx = pathToFileURL(join(REPOSITORY, 'node_modules/tsx/dist/esm/index.mjs')).href;
      const argv = ['--import', tsx, join(REPOSITORY, 'codegen/main.ts'), 'lint', '--watch'];
      const child = spawn(process.execPath, argv, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
      const ended = once(child, 'close');
      let said = '';
      child.stdout.on('data', (text: Buffer) => void (said += text.toString()));
      child.stderr.on('data', (text: Buffer) => void (said += text.toString()));
      // Findings and remarks come over two pipes, in whatever order.
      const hears = (pattern: RegExp): Promise<void> =>
        eventually(() => {
          assert.match(said, pattern);
          said = '';
        });
      try {
        await hears(/^(?=[^]*0 errors, 0 warnings)(?=[^]*In \d+\.\d\d s\.)(?=[^]*Watching)/u);
        const tool = join(folder, 'schemas/tools/notes/get_note.yaml');
        const good = readFileSync(tool, 'utf8');
        writeFileSync(tool, good.replace('`list_notes`', '`list_note`'));
        await hears(/^(?=[^]*xref-tool)(?=[^]*1 error, 0 warnings)(?=[^]*In \d)/u);
        writeFileSync(tool, good);
        await hears(/^(?=[^]*0 errors, 0 warnings)(?=[^]*In \d)/u);
        writeFileSync(tool, good.replace('`list_notes`', '`list_note`'));
        await hears(/1 error, 0 warnings/u);
        child.kill('SIGTERM');
        await ended;
        assert.equal(child.exitCode, 1);
      } finally {
        child.kill('SIGKILL');
      }
    })).timeout(120_000);
});
