import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from '../../../codegen/cli/run.ts';
import type { DiffReport } from '../../../codegen/diff/finding.ts';

const WHO = ['-c', 'user.name=gate', '-c', 'user.email=gate@example.invalid', '-c', 'commit.gpgsign=false'];

export interface Answer {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A git repository of its own that holds a copy of the contracts. */
export class Repository {
  readonly folder: string;

  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), 'gate-'));
    cpSync('schemas', join(this.folder, 'schemas'), { recursive: true });
    rmSync(join(this.folder, 'schemas', 'releases'), { recursive: true, force: true });
    this.git('init', '-q', '-b', 'main');
    this.commit('the contracts');
  }

  git(...args: string[]): string {
    return execFileSync('git', [...WHO, ...args], { cwd: this.folder, encoding: 'utf8' });
  }

  commit(message: string): void {
    this.git('add', '-A');
    this.git('commit', '-q', '-m', message);
  }

  path(file: string): string {
    return join(this.folder, 'schemas', file);
  }

  read(file: string): string {
    return readFileSync(this.path(file), 'utf8');
  }

  write(file: string, text: string): void {
    writeFileSync(this.path(file), text);
  }

  /** Replaces one piece of a contract, which must be there. */
  edit(file: string, from: string | RegExp, to: string): void {
    const text = this.read(file);
    const edited = text.replace(from, () => to);
    if (edited === text) throw new Error(`${file} does not hold ${String(from)}`);
    this.write(file, edited);
  }

  makeFolder(folder: string): void {
    mkdirSync(this.path(folder), { recursive: true });
  }

  remove(file: string): void {
    rmSync(this.path(file));
  }

  async run(...argv: string[]): Promise<Answer> {
    const answer = { code: -1, out: '', err: '' };
    answer.code = await runCli(argv, {
      out: (text) => void (answer.out += text),
      err: (text) => void (answer.err += text),
      color: false,
      cwd: this.folder,
      now: () => new Date('2026-11-30T00:00:00Z'),
      onStop: () => undefined,
    });
    return answer;
  }

  async diff(...argv: string[]): Promise<{ readonly code: number; readonly report: DiffReport }> {
    const { code, out, err } = await this.run('diff', '--format', 'json', ...argv);
    if (out === '') throw new Error(err);
    // because the command prints the report it was asked for
    return { code, report: JSON.parse(out) as DiffReport };
  }

  destroy(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
