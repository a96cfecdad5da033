import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What the second lane is made of, to the last digit. None of it is a dependency of the product. */
const PACKAGES = {
  [`node-${process.platform}-${process.arch}`]: '24.22.3',
  '@modelcontextprotocol/conformance': '0.2.0-alpha.12',
  '@modelcontextprotocol/inspector': '2.12.0',
};

export interface Lane {
  readonly node: string;
  readonly conformance: string;
  readonly inspector: string;
}

export const ROOT = resolve(import.meta.dirname, '../..');
const FOLDER = join(ROOT, '.cache/lane24');

/** Node 24 and the programs that need it, fetched by npm into a cache folder once. */
export async function openLane(): Promise<Lane> {
  const wanted = `${JSON.stringify({ name: 'lane24', private: true, dependencies: PACKAGES }, null, 2)}\n`;
  const manifest = join(FOLDER, 'package.json');
  const marker = join(FOLDER, 'installed.json');
  const have = existsSync(marker) ? await readFile(marker, 'utf8') : '';
  if (have !== wanted) {
    process.stderr.write('fetching Node 24, the conformance suite and the Inspector into .cache/lane24 …\n');
    await mkdir(FOLDER, { recursive: true });
    await writeFile(manifest, wanted);
    await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: FOLDER });
    await writeFile(marker, wanted);
  }
  const modules = join(FOLDER, 'node_modules');
  return {
    node: join(modules, `node-${process.platform}-${process.arch}/bin/node`),
    conformance: join(modules, '@modelcontextprotocol/conformance/dist/index.js'),
    inspector: join(modules, '@modelcontextprotocol/inspector/clients/launcher/build/index.js'),
  };
}

export interface Finished {
  readonly code: number;
  readonly output: string;
}

/** Runs one program of the lane to its end. */
export function runToEnd(command: string, args: readonly string[], timeoutMs = 240_000): Promise<Finished> {
  return new Promise((done) => {
    const child = spawn(command, args, {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, CI: '1' },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
    child.once('close', (code) => {
      clearTimeout(timer);
      done({ code: code ?? 1, output });
    });
  });
}

export interface Served {
  readonly url: string;
  readonly key: string;
  stop(): Promise<void>;
}

/** The application in a process of its own, as `serve.ts` composes it. */
export function serveApplication(options: { readonly fastLane: boolean; readonly fixtures: boolean }): Promise<Served> {
  const args = [
    '--import',
    'tsx',
    join(import.meta.dirname, 'serve.ts'),
    ...(options.fixtures ? [] : ['--without-fixtures']),
  ];
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, MCP_FAST_LANE: String(options.fastLane) },
  });
  const ended = new Promise<void>((done) => {
    child.once('close', () => done());
  });
  return new Promise((ready, fail) => {
    let text = '';
    child.once('error', fail);
    child.once('close', (code) => fail(new Error(`the server ended with ${String(code)} before it listened`)));
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (!text.includes('\n')) return;
      // because serve.ts prints exactly this one line
      const { url, key } = JSON.parse(text) as { url: string; key: string };
      const stop = async (): Promise<void> => {
        child.stdin.end();
        const timer = setTimeout(() => child.kill('SIGKILL'), 15_000);
        await ended;
        clearTimeout(timer);
      };
      ready({ url, key, stop });
    });
  });
}
