import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCli } from '../../../codegen/cli/run.ts';
import { VERSIONS } from '../../../codegen/init/project-files.ts';
import { inProject, run } from '../support-back/command.ts';
import { REPOSITORY } from '../support-back/workshop.ts';

const DESCRIPTION = 'Check the spelling of a text of at most 20,000 characters. Correct what it names and check again.';

/** An empty folder for as long as `use` runs. */
function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  return inProject(use, new Map());
}

async function begun(folder: string): Promise<string> {
  const { code, err } = await run(folder, 'init', 'my-server');
  assert.equal(code, 0, err);
  return join(folder, 'my-server');
}

describe('mcp-contract init', () => {
  it('writes contracts that lint without a finding', () =>
    inFolder(async (folder) => {
      const { code, out, err } = await run(await begun(folder), 'lint');
      assert.deepEqual({ code, err }, { code: 0, err: '' });
      assert.match(out, /0 errors, 0 warnings/);
    }));

  it('asks for the packages that this one is tested with', () => {
    // because package.json holds versions by package name
    const { version, devDependencies: dev } = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as {
      version: string;
      devDependencies: Record<string, string>;
    };
    assert.deepEqual(VERSIONS, {
      overmind: version,
      tsx: dev['tsx'],
      otherValidator: dev['@cfworker/json-schema'],
      mochaTypes: dev['@types/mocha'],
      nodeTypes: dev['@types/node'],
      mocha: dev['mocha'],
      typescript: dev['typescript'],
    });
  });

  it('leaves a folder alone that holds something, and takes one with a new repository in it', () =>
    inFolder(async (folder) => {
      mkdirSync(join(folder, 'taken/.git'), { recursive: true });
      assert.equal((await run(folder, 'init', 'taken')).code, 0);
      const again = await run(folder, 'init', 'taken');
      assert.equal(again.code, 2);
      assert.match(again.err, /taken is not empty/);
    }));

  it('refuses a name that no client takes', () =>
    inFolder(async (folder) => {
      const { code, err } = await run(folder, 'init', 'My Server');
      assert.equal(code, 2);
      assert.match(err, /--name/);
    }));
});

describe('mcp-contract add', () => {
  it('writes a file of every kind that lints and that the compiler takes', () =>
    inFolder(async (folder) => {
      const project = await begun(folder);
      const added = [
        ['tool', 'check_spelling', '--argument', 'text=text', '--argument', 'strict?=boolean', '--error', 'no_words'],
        ['tool', 'list_words', '--domain', 'texts'],
        ['tool', 'save_text', '--write', '--argument', 'text=text'],
        ['model', 'word', '--argument', 'id=uuid', '--argument', 'seen_at=datetime', '--argument', 'share=number'],
        ['resource', 'text', '--uri', 'my-server://texts/{text}'],
        ['resource', 'rules', '--uri', 'my-server://rules'],
        ['prompt', 'tidy-up', '--write', '--argument', 'topic', '--text', 'Call {{tool "save_text"}} about {{topic}}.'],
      ];
      for (const [kind = '', name = '', ...flags] of added) {
        const words = `${kind} ${name}: one of at most 20 words. ${DESCRIPTION}`;
        const answer = await run(project, 'add', kind, name, '--description', words, ...flags);
        assert.equal(answer.code, 0, answer.err);
      }
      const { code, out, err } = await run(project, 'generate');
      assert.equal(code, 0, err);
      assert.match(out, /files? written/);
      const adapters = readFileSync(join(project, 'generated/contracts/adapters.ts'), 'utf8');
      for (const name of ['check_spelling', 'list_words', 'save_text']) assert.match(adapters, new RegExp(`${name}:`));
    }));

  it('asks a person for what no flag says', () =>
    inFolder(async (folder) => {
      const project = await begun(folder);
      const asked: string[] = [];
      const answers = ['save_note', DESCRIPTION, 'yes', 'text=text'];
      const code = await runCli(['add', 'tool'], {
        out: () => undefined,
        err: () => undefined,
        color: false,
        cwd: project,
        onStop: () => undefined,
        ask: (question) => {
          asked.push(question);
          return Promise.resolve(answers[asked.length - 1] ?? '');
        },
      });
      assert.equal(code, 0);
      assert.deepEqual(
        asked.map((question) => question.split(/[:,(]/)[0]?.trim()),
        ['Name of the tool', 'What is it for', 'Does it change something', 'Arguments'],
      );
      const written = readFileSync(join(project, 'schemas/tools/texts/save_note.yaml'), 'utf8');
      assert.match(written, /text: \{ type: string/);
      assert.match(written, /read_only: false/);
    }));

  it('says which flag is missing where nobody can be asked', () =>
    inFolder(async (folder) => {
      const { code, err } = await run(await begun(folder), 'add', 'tool', 'check_spelling');
      assert.equal(code, 2);
      assert.match(err, /--description is missing/);
      assert.match((await run(folder, 'add', 'tool')).err, /The name is missing/);
    }));

  it('leaves nothing behind when the file would not lint', () =>
    inFolder(async (folder) => {
      const project = await begun(folder);
      const said = ['--description', DESCRIPTION, '--text', 'Call {{tool "estimate_readin"}}.'];
      const { code, err } = await run(project, 'add', 'prompt', 'slip', ...said);
      assert.equal(code, 1);
      assert.match(err, /Did you mean `estimate_reading`/);
      assert.match((await run(project, 'lint')).out, /0 errors/);
    }));

  it('writes over nothing, and names the domains there are', () =>
    inFolder(async (folder) => {
      const project = await begun(folder);
      const words = ['--description', DESCRIPTION];
      const taken = await run(project, 'add', 'tool', 'estimate_reading', ...words);
      assert.match(taken.err, /estimate_reading\.yaml exists already/);
      const lost = await run(project, 'add', 'tool', 'check_spelling', ...words, '--domain', 'text');
      assert.equal(lost.code, 2);
      assert.match(lost.err, /Did you mean `texts`/);
      rmSync(join(project, 'schemas/server.yaml'));
      writeFileSync(join(project, 'schemas/server.yaml'), 'kind: server\n');
      const broken = await run(project, 'add', 'tool', 'check_spelling', ...words);
      assert.match(broken.err, /have errors already/);
    }));
});
