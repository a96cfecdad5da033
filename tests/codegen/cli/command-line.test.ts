import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCli } from '../../../codegen/cli/run.ts';
import { edited } from '../support/contract-tree.ts';
import { inProject, run, spawn, writeTree } from '../support-back/command.ts';

describe('mcp-contract', () => {
  it('answers 0 when the contracts are fine and says how many it read', async () => {
    await inProject(async (folder) => {
      const { code, out } = await run(folder, 'lint');
      assert.equal(code, 0);
      assert.match(out, /^\d+ contract files: 0 errors, 0 warnings\n$/u);
    });
  });

  it('tells its version', async () => {
    const { code, out } = await run('.', '--version');
    assert.deepEqual([code, /^\d+\.\d+\.\d+\n$/.test(out)], [0, true], out);
  });

  it('answers 1 with every finding at its place', async () => {
    await inProject(async (folder) => {
      writeTree(join(folder, 'schemas'), edited({ 'list_notes:/titel': 'x', 'get_note:/titel': 'x' }));
      const { code, err } = await run(folder, 'lint');
      assert.equal(code, 1);
      assert.match(err, /schemas\/tools\/notes\/get_note\.yaml:\d+:\d+ /u);
      assert.match(err, /schemas\/tools\/notes\/list_notes\.yaml:\d+:\d+ /u);
    });
  });

  it('gives lint findings as data', async () => {
    await inProject(async (folder) => {
      writeTree(join(folder, 'schemas'), edited({ 'list_notes:/titel': 'x' }));
      const { code, out } = await run(folder, 'lint', '--json');
      assert.equal(code, 1);
      const { ok, diagnostics } = JSON.parse(out) as {
        ok: boolean;
        diagnostics: { position: { file: string; line: number } }[];
      };
      assert.equal(ok, false);
      assert.equal(diagnostics[0]?.position.file, 'tools/notes/list_notes.yaml');
    });
  });

  it('answers 2 and names the remedy for a folder that is not there', async () => {
    await inProject(async (folder) => {
      for (const command of ['lint', 'generate', 'check', 'scaffold', 'cost']) {
        const { code, err } = await run(folder, command, '--schemas', 'nowhere');
        assert.equal(code, 2, command);
        assert.match(err, /There is no contract folder nowhere\. Name one with --schemas DIR\./u);
      }
    });
  });

  it('answers 2 and suggests the nearest name for a wrong flag or command', async () => {
    await inProject(async (folder) => {
      const flag = await run(folder, 'lint', '--shemas', 'x');
      assert.equal(flag.code, 2);
      assert.match(flag.err, /--schemas/u);
      const command = await run(folder, 'generat');
      assert.equal(command.code, 2);
      assert.match(command.err, /generate/u);
      assert.equal((await run(folder, 'lint', 'extra')).code, 2);
      assert.equal((await run(folder)).code, 2);
    });
  });

  it('answers 3 for a fault of its own', async () => {
    await inProject(async (folder) => {
      let err = '';
      const code = await runCli(['lint'], {
        out: () => {
          throw new Error('the pipe is gone');
        },
        err: (text) => void (err += text),
        color: false,
        cwd: folder,
        onStop: () => undefined,
      });
      assert.equal(code, 3);
      assert.match(err, /its own fault: Error: the pipe is gone/u);
    });
  });

  it('explains itself and each command', async () => {
    await inProject(async (folder) => {
      const { code, out } = await run(folder, '--help');
      assert.equal(code, 0);
      for (const word of ['lint', 'generate', 'check', 'scaffold', 'cost', 'Exit codes'])
        assert.ok(out.includes(word), word);
      const help = await run(folder, 'generate', '--help');
      assert.equal(help.code, 0);
      for (const flag of ['--schemas', '--out', '--json', '--watch', '--cache-dir'])
        assert.ok(help.out.includes(flag), flag);
    });
  });

  it('colours its findings only where asked to', async () => {
    await inProject(async (folder) => {
      writeTree(join(folder, 'schemas'), edited({ 'list_notes:/titel': 'x' }));
      assert.ok(!(await run(folder, 'lint')).err.includes('\u001b['));
      let err = '';
      await runCli(['lint'], {
        out: () => undefined,
        err: (text) => void (err += text),
        color: true,
        cwd: folder,
        onStop: () => undefined,
      });
      assert.ok(err.includes('\u001b[31m'));
      assert.ok(!spawn(folder, ['lint']).err.includes('\u001b['));
    });
  });

  it('writes the test scaffolds that are missing and never over one that exists', async () => {
    await inProject(async (folder) => {
      const first = await run(folder, 'scaffold');
      assert.equal(first.code, 0);
      const path = join(folder, 'tests/tools/notes/get_note.test.ts');
      const draft = readFileSync(path, 'utf8');
      assert.match(draft, /describeTool\("get_note", \{/u);
      assert.match(draft, /note_not_found: todo,/u);
      assert.match(draft, /staysInProject: \{\n {4}note_id: todo,/u);
      writeFileSync(path, '// mine\n');
      const second = await run(folder, 'scaffold', '--json');
      assert.deepEqual(JSON.parse(second.out), { ok: true, written: [] });
      assert.equal(readFileSync(path, 'utf8'), '// mine\n');
    });
  });

  it('counts what each tool costs an agent, segment by segment', async () => {
    await inProject(async (folder) => {
      const { code, out } = await run(folder, 'cost', '--json');
      assert.equal(code, 0);
      type Cost = { tokens: number; bytes: number };
      const costs = JSON.parse(out) as {
        tools: { name: string; shown: Cost; whole: Cost; segments: Record<string, Cost> }[];
        shown: Cost;
      };
      assert.deepEqual(
        costs.tools.map(({ name }) => name),
        ['create_note', 'get_note', 'list_notes', 'start_export'],
      );
      for (const { shown, whole, segments } of costs.tools) {
        const sum = ['name', 'description', 'input'].reduce(
          (total, segment) => total + (segments[segment]?.tokens ?? Number.NaN),
          0,
        );
        assert.equal(shown.tokens, sum);
        assert.ok(whole.tokens > shown.tokens && whole.bytes > shown.bytes);
      }
      assert.equal(
        costs.shown.tokens,
        costs.tools.reduce((total, { shown }) => total + shown.tokens, 0),
      );
      const table = await run(folder, 'cost');
      assert.match(table.out, /^tool +name +description +input +output +annotations +shown +whole +bytes\n/u);
      assert.match(table.out, /\ntotal /u);
    });
  });

  it('runs again when a contract changes, until it is stopped', async () => {
    await inProject(async (folder) => {
      let stop = (): void => undefined;
      let out = '';
      const ended = runCli(['generate', '--watch', '--no-cache'], {
        out: (text) => void (out += text),
        err: () => undefined,
        color: false,
        cwd: folder,
        onStop: (how) => void (stop = how),
      });
      await until(() => out.includes('written') && existsSync(join(folder, 'generated/surface.json')));
      await new Promise((resolve) => setTimeout(resolve, 100));
      writeTree(join(folder, 'schemas'), edited({ 'list_notes:/title': 'List every note' }));
      await until(() => readFileSync(join(folder, 'generated/surface.json'), 'utf8').includes('List every note'));
      stop();
      assert.equal(await ended, 0);
    });
  });
});

async function until(holds: () => boolean): Promise<void> {
  const end = Date.now() + 15_000;
  while (!holds()) {
    if (Date.now() > end) throw new Error('it did not happen in time');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
