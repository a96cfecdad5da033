import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { writeContractTree } from './contract-tree.ts';

export interface CompilerFigure {
  readonly step: string;
  readonly cpu_seconds: number;
}

const preload = new URL('servers/report-usage.mjs', import.meta.url).href;

/** CPU seconds of one run of the compiled `mcp-contract`, process start included. */
function cpuSeconds(args: readonly string[], expected = 0): number {
  const run = spawnSync(process.execPath, ['--import', preload, 'dist/codegen/main.js', ...args], {
    encoding: 'utf8',
    env: { ...process.env, CPU_AT_EXIT: '1' },
  });
  const figure = /CPU_US (\d+)/.exec(run.stderr)?.[1];
  if (run.status !== expected || !figure)
    throw new Error(
      `mcp-contract ${args.join(' ')}: exit ${String(run.status)}\n${run.stderr.slice(0, 2000)}${run.stdout.slice(0, 2000)}`,
    );
  return Number(figure) / 1e6;
}

const best = (args: readonly string[], before: () => void, expected = 0): number =>
  Math.min(
    ...[1, 2, 3].map(() => {
      before();
      return cpuSeconds(args, expected);
    }),
  );

/** Generation from nothing and over an unchanged tree, lint, cost, docs and the gate, on `size` tools. */
export function measureCompiler(folder: string, size: number): readonly CompilerFigure[] {
  const schemas = resolve(folder, `schemas-${String(size)}`);
  const out = resolve(folder, `generated-${String(size)}`);
  const cache = resolve(folder, `cache-${String(size)}`);
  writeContractTree(schemas, size);
  const where = ['--schemas', schemas, '--out', out, '--cache-dir', cache];
  const clear = (): void => [out, cache].forEach((path) => rmSync(path, { recursive: true, force: true }));
  return [
    { step: `generate ${String(size)} tools from nothing`, cpu_seconds: best(['generate', ...where], clear) },
    { step: `generate ${String(size)} tools, unchanged`, cpu_seconds: best(['generate', ...where], () => undefined) },
    { step: `lint ${String(size)} tools`, cpu_seconds: best(['lint', '--schemas', schemas], () => undefined) },
    { step: `cost of ${String(size)} tools`, cpu_seconds: best(['cost', ...where], () => undefined) },
    { step: `docs of ${String(size)} tools`, cpu_seconds: measureDocs(folder, where) },
    { step: `diff ${String(size)} tools, ten of them breaking`, cpu_seconds: measureDiff(folder, schemas) },
  ];
}

/** The whole site, written anew each time. */
function measureDocs(folder: string, [, schemas = '']: readonly string[]): number {
  const site = resolve(folder, 'docs-site');
  return best(['docs', '--schemas', schemas, '--out', site], () => rmSync(site, { recursive: true, force: true }));
}

/** The gate on two trees of which every fifteenth tool takes a shorter text than before. */
function measureDiff(folder: string, schemas: string): number {
  const edited = resolve(folder, 'schemas-edited');
  rmSync(edited, { recursive: true, force: true });
  cpSync(schemas, edited, { recursive: true });
  const tools = join(edited, 'tools', 'records');
  for (const [index, file] of readdirSync(tools).sort().entries()) {
    if (index % 15 !== 0) continue;
    const text = readFileSync(join(tools, file), 'utf8');
    writeFileSync(
      join(tools, file),
      text.replace(/maxLength: (\d+)/u, (_, most) => `maxLength: ${Number(most) - 1}`),
    );
  }
  return best(['diff', '--schemas', edited, '--against', schemas], () => undefined, 1);
}

/** Compiles the benchmark's catalogue for the server under measure and answers the folder of the generated code. */
export function compileCatalogue(folder: string, size: number): string {
  const schemas = resolve(folder, `catalogue-${String(size)}`);
  const out = resolve(folder, `catalogue-${String(size)}-generated`);
  writeContractTree(schemas, size);
  cpuSeconds(['generate', '--schemas', schemas, '--out', out]);
  return join(out, 'catalog', 'index.ts');
}
