import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parse } from 'yaml';
import { writeTree } from '../../codegen/support-back/command.ts';
import { baseTree, edited, type Edits } from '../../codegen/support/contract-tree.ts';

const ACTION = resolve('.github/actions/contract-gate/action.yml');
const COMMAND = resolve('dist/codegen/main.js');
const WHO = ['-c', 'user.name=gate', '-c', 'user.email=gate@example.invalid', '-c', 'commit.gpgsign=false'];

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: {
    readonly using: string;
    readonly steps: readonly {
      readonly id: string;
      readonly shell: string;
      readonly run: string;
      readonly env: Readonly<Record<string, string>>;
    }[];
  };
}

interface Outcome {
  readonly code: number | null;
  readonly log: string;
  readonly err: string;
  readonly outputs: Readonly<Record<string, string>>;
  readonly summary: string;
}

const action: Action = parse(readFileSync(ACTION, 'utf8'));

/** Does what a runner does with a composite action: inputs into the environment, one step in bash, outputs from a file. */
function runAction(repository: string, given: Readonly<Record<string, string>>): Outcome {
  const [step, ...others] = action.runs.steps;
  assert.ok(step !== undefined && others.length === 0 && step.shell === 'bash');
  const inputs = Object.fromEntries(
    Object.entries(action.inputs).map(([name, input]) => [name, given[name] ?? input.default]),
  );
  const fill = (text: string): string =>
    text.replaceAll(
      /\$\{\{ inputs\.([a-z-]+) \}\}/gu,
      (_, name: string) => inputs[name] ?? assert.fail(`no input ${name}`),
    );
  const [output, summary] = [join(repository, '.output'), join(repository, '.summary')];
  for (const file of [output, summary]) writeFileSync(file, '');
  const done = spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run], {
    cwd: repository,
    encoding: 'utf8',
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      GITHUB_ACTION_PATH: dirname(ACTION),
      GITHUB_OUTPUT: output,
      GITHUB_STEP_SUMMARY: summary,
      ...Object.fromEntries(Object.entries(step.env).map(([name, value]) => [name, fill(value)])),
    },
  });
  return {
    code: done.status,
    log: done.stdout,
    err: done.stderr,
    outputs: Object.fromEntries(
      readFileSync(output, 'utf8')
        .trim()
        .split('\n')
        .map((line) => line.split('=', 2)),
    ),
    summary: readFileSync(summary, 'utf8'),
  };
}

describe('the contract gate as an Action', function () {
  this.timeout(120_000);
  let repository: string;

  function git(...argv: readonly string[]): string {
    return execFileSync('git', [...WHO, ...argv], { cwd: repository, encoding: 'utf8' }).trim();
  }

  /** Commits the base tree with these edits and answers the commit. */
  function commit(message: string, edits: Edits): string {
    rmSync(join(repository, 'schemas'), { recursive: true, force: true });
    writeTree(join(repository, 'schemas'), edited(edits, baseTree()));
    git('add', 'schemas');
    git('commit', '-q', '--allow-empty', '-m', message);
    return git('rev-parse', 'HEAD');
  }

  const run = (base: string, more: Readonly<Record<string, string>> = {}): Outcome =>
    runAction(repository, { command: `${process.execPath} ${COMMAND}`, base, ...more });
  const report = (name: string): string =>
    readFileSync(join(repository, 'contract-gate', `contract-gate.${name}`), 'utf8');

  let first: string;

  before(() => {
    assert.ok(existsSync(COMMAND), 'the compiled command is missing: run make build');
    repository = mkdtempSync(join(tmpdir(), 'action-'));
    git('init', '-q', '-b', 'main');
    first = commit('the contracts', {});
  });

  after(() => {
    rmSync(repository, { recursive: true, force: true });
  });

  it('refuses a second commit that breaks callers, and leaves every report', () => {
    const hostile = 'Lists notes of the project, newest first. Call `get_note` next.\n::error::forged\n';
    commit('lower a bound', {
      'list_notes:/input/properties/limit/maximum': 10,
      'list_notes:/description': hostile,
    });
    const { code, log, err, outputs, summary } = run(first);
    assert.equal(code, 1, `${log}${err}`);
    assert.equal(outputs['verdict'], 'refused');
    assert.equal(outputs['breaking'], String(JSON.parse(report('json')).counts.breaking));
    for (const { value } of Object.values(action.outputs)) {
      const [, name = ''] = /^\$\{\{ steps\.gate\.outputs\.([a-z]+) \}\}$/u.exec(value) ?? [];
      assert.ok(outputs[name] !== undefined && outputs[name] !== '', value);
    }
    assert.equal(outputs['page'], 'contract-gate/contract-gate.html');
    const annotations = log.split('\n').filter((line) => line.startsWith('::error'));
    assert.ok(annotations.some((line) => line.startsWith('::error file=schemas/tools/notes/list_notes.yaml,line=')));
    assert.ok(annotations.every((line) => !line.includes('::forged')));
    assert.match(log, /^::stop-commands::gate-[0-9a-f]{32}$/mu);
    assert.match(summary, /^# Contract changes\n/u);
    assert.match(report('html'), /^<!doctype html>/iu);
    assert.equal(JSON.parse(report('sarif')).version, '2.1.0');
    assert.match(report('xml'), /failures="[1-9]/u);
    assert.equal(report('md'), summary);
  });

  it('passes a commit that keeps every promise', () => {
    commit('raise a bound', { 'list_notes:/input/properties/limit/maximum': 100 });
    const { code, outputs, log, err } = run(first);
    assert.equal(code, 0, `${log}${err}`);
    assert.equal(outputs['verdict'], 'passed');
    assert.equal(outputs['breaking'], '0');
  });

  it('compares two commits when it is given a head', () => {
    const second = commit('lower a bound', { 'list_notes:/input/properties/limit/maximum': 10 });
    commit('back again', {});
    assert.equal(run(first, { head: second }).code, 1);
    assert.equal(run('', { head: second }).code, 2);
  });

  it('says what is wrong with its inputs, and takes none of them for a script', () => {
    const { code, log, err } = run('no-such-ref; touch pwned');
    assert.equal(code, 2);
    assert.match(log, /^::error title=Contract gate::`no-such-ref; touch pwned` is no released version/u);
    assert.match(err, /fetch-depth: 0/u);
    assert.equal(run(first, { reports: '$(touch pwned)' }).code, 0);
    assert.ok(existsSync(join(repository, '$(touch pwned)', 'contract-gate.json')));
    assert.ok(!existsSync(join(repository, 'pwned')));
    assert.equal(run(first, { 'fail-on': 'never' }).code, 2);
  });
});
