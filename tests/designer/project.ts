import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Ran {
  readonly code: number;
  readonly output: string;
}

/** The folder of the new project, worked in as a person works: by commands and edits. */
export class Project {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Runs a command to its end, whatever that is. */
  tries(command: string, ...args: readonly string[]): Promise<Ran> {
    return runIn(this.folder, command, args);
  }

  /** Runs a command that must succeed; gives what it printed. */
  async does(command: string, ...args: readonly string[]): Promise<string> {
    const { code, output } = await this.tries(command, ...args);
    if (code !== 0) throw new Error(`${[command, ...args].join(' ')} ended with ${code}\n${output}`);
    return output;
  }

  edits(path: string, change: (text: string) => string): void {
    const file = join(this.folder, path);
    const before = readFileSync(file, 'utf8');
    const after = change(before);
    if (after === before) throw new Error(`the edit of ${path} changed nothing`);
    writeFileSync(file, after);
  }

  /** Runs `npm start` on a free port for as long as `use` runs. */
  async serves<T>(use: (url: string) => Promise<T>): Promise<T> {
    const child = spawn(process.execPath, ['--import', 'tsx', 'src/main.ts'], {
      cwd: this.folder,
      env: { ...process.env, PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = new Promise<void>((done) => {
      child.once('close', () => done());
    });
    try {
      const url = await new Promise<string>((ready, fail) => {
        let text = '';
        child.once('close', (code) => fail(new Error(`the server ended with ${String(code)}`)));
        child.stdout.on('data', (chunk: Buffer) => {
          text += chunk.toString();
          const found = /^serving (\S+)$/m.exec(text)?.[1];
          if (found !== undefined) ready(found);
        });
      });
      return await use(url);
    } finally {
      child.kill('SIGTERM');
      await ended;
    }
  }
}

export function runIn(cwd: string, command: string, args: readonly string[]): Promise<Ran> {
  return new Promise((done, fail) => {
    const child = spawn(command, args, {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NO_COLOR: '1' },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.once('error', fail);
    child.once('close', (code) => done({ code: code ?? 1, output }));
  });
}
