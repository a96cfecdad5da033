/**
 * A designer's first hour, from an empty folder: this package is packed and installed as any other, a project is begun,
 * served and called by official clients, its gate refuses a break, and a tool is added, filled and tested. Prints how
 * long each step took; what a person would type is the edits below.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../conformance/lane.ts';
import { byInspector, byLegacyClient, byModernClient, type Asked } from './clients.ts';
import { Project, runIn } from './project.ts';

const TOOL = 'schemas/tools/texts/check_length.yaml';
/** The case that a person writes in place of the scaffolded one. */
const SUCCEEDS = `'counts the words that are over': async (world) => {
      const answer = await world.call('check_length', { text: 'one two three', limit: 2 });
      assert.deepEqual(answer, { summary: 'Words over the limit: 1.', over: 1 });
    }`;
const folder = mkdtempSync(join(tmpdir(), 'designer-walk-'));
const project = new Project(join(folder, 'my-server'));
const started = performance.now();
let passed = 0;

try {
  await step('pack this package', pack);
  await step('init in an empty folder', begin);
  await step('install from the tarball', async () => {
    await project.does('npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error');
  });
  await step('generate', async () => {
    await project.does('npm', 'run', '--silent', 'generate');
  });
  await step('lint, check, typecheck and test', async () => {
    assert.match(await project.does('npm', 'run', '--silent', 'check'), /passing/);
  });
  await step('commit', commit);
  await step('serve, called by the v1 and v2 clients and the Inspector', () => project.serves(callEverywhere));
  await step('the gate refuses a breaking edit', refuseBreak);
  await step('add a tool; the compiler names what is owed', addTool);
  await step('fill it and test it', fillTool);
  await step('the gate takes the addition', async () => {
    assert.match(await project.does('npx', 'mcp-contract', 'diff', 'HEAD'), /check_length/);
  });
  await step('serve it', () => project.serves(callAdded));
  process.stdout.write(`the whole walk took ${seconds(started)}\n${passed} passed, 0 failed\n`);
} catch (error) {
  process.stdout.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.stdout.write(`${passed} passed, 1 failed\n`);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function step(name: string, work: () => Promise<void>): Promise<void> {
  const from = performance.now();
  try {
    await work();
  } catch (error) {
    process.stdout.write(`FAIL ${name}\n`);
    throw error;
  }
  passed += 1;
  process.stdout.write(`ok   ${name.padEnd(60)} ${seconds(from).padStart(8)}\n`);
}

function seconds(from: number): string {
  return `${((performance.now() - from) / 1000).toFixed(1)} s`;
}

async function pack(): Promise<void> {
  const args = ['pack', ROOT, '--ignore-scripts', '--silent', '--pack-destination', folder];
  const { code, output } = await runIn(folder, 'npm', args);
  assert.equal(code, 0, output);
}

async function begin(): Promise<void> {
  const tarball = 'file:../overmind-mcp-0.1.0.tgz';
  const compiler = join(ROOT, 'dist/codegen/main.js');
  const args = [compiler, 'init', 'my-server', '--package', tarball];
  const { code, output } = await runIn(folder, process.execPath, args);
  assert.equal(code, 0, output);
}

async function commit(): Promise<void> {
  await project.does('git', 'init', '--quiet', '--initial-branch=main');
  await project.does('git', 'add', '.');
  const who = ['-c', 'user.name=Designer', '-c', 'user.email=designer@example.com', '-c', 'commit.gpgsign=false'];
  await project.does('git', ...who, 'commit', '--quiet', '--message', 'feat: begin');
}

async function callEverywhere(url: string): Promise<void> {
  const asked: Asked = { url, tool: 'estimate_reading', args: { text: 'Ink and paper.' } };
  const expected = { summary: 'Words: 3. Reading time: about 1 s.', words: 3, reading_seconds: 1 };
  for (const ask of [byLegacyClient, byModernClient]) {
    assert.deepEqual(await ask(asked), { tools: ['estimate_reading'], result: expected });
  }
  assert.match(await byInspector(asked), /Reading time: about 1 s/);
}

async function refuseBreak(): Promise<void> {
  const path = 'schemas/tools/texts/estimate_reading.yaml';
  project.edits(path, (text) =>
    text.replace('maxLength: 20000, description: Text', 'maxLength: 500, description: Text'),
  );
  const { code, output } = await project.tries('npx', 'mcp-contract', 'diff', 'HEAD');
  assert.equal(code, 1, output);
  assert.match(output, /Refused/);
  await project.does('git', 'checkout', '--quiet', path);
}

async function addTool(): Promise<void> {
  const description =
    'Check whether a text keeps a limit of words. Shorten it by the number of words that are over and check again.';
  const flags = ['--argument', 'text=text', '--argument', 'limit=integer', '--error', 'no_words'];
  await project.does('npx', 'mcp-contract', 'add', 'tool', 'check_length', '--description', description, ...flags);
  await project.does('npm', 'run', '--silent', 'generate');
  const { code, output } = await project.tries('npm', 'run', '--silent', 'typecheck');
  assert.notEqual(code, 0);
  assert.match(output, /src\/adapters\/texts\.ts.*check_length/);
}

async function fillTool(): Promise<void> {
  project.edits(TOOL, (text) =>
    text
      .replace('required: [summary]', 'required: [summary, over]')
      .replace(
        /( +)summary: .*\n/u,
        '$&$1over: { type: integer, minimum: 0, maximum: 20000, description: Words above the limit. }\n',
      ),
  );
  project.edits('src/adapters/texts.ts', (text) =>
    text.replace(
      /\n\};\n$/u,
      `
  check_length: async ({ text, limit }) => {
    const over = Math.max(0, estimateReading(text, 1).words - limit);
    return { summary: over === 0 ? 'The text keeps the limit.' : \`Words over the limit: \${over}.\`, over };
  },
};
`,
    ),
  );
  project.edits('tests/tools/texts/check_length.test.ts', (text) =>
    text
      .replace(
        'import { describeTool, todo } from',
        "import assert from 'node:assert/strict';\nimport { describeTool } from",
      )
      .replace('"calls check length": todo', SUCCEEDS)
      .replace(
        'no_words: todo',
        "no_words: (world) => world.refuses('check_length', { text: '…', limit: 1 }, 'no_words')",
      ),
  );
  await project.does('npm', 'run', '--silent', 'generate');
  assert.match(await project.does('npm', 'run', '--silent', 'check'), /check_length/);
}

async function callAdded(url: string): Promise<void> {
  const { tools, result } = await byModernClient({ url, tool: 'check_length', args: { text: 'one two', limit: 2 } });
  assert.deepEqual(tools, ['check_length', 'estimate_reading']);
  assert.deepEqual(result, { summary: 'The text keeps the limit.', over: 0 });
}
