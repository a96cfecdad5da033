import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { checkTree, hasErrors } from './compile-tree.ts';
import { BadInput, palette, type ExitCode, type Io } from './io.ts';
import { readOptions } from './options.ts';
import { plural, printDiagnostics } from './report.ts';

export interface DocsFlags {
  readonly schemas?: string;
  readonly out: string;
  readonly guides?: string;
}

const GUIDES = 'skills/contributing';
const CHANGELOG = 'CHANGELOG.md';

/** Adds `docs`; `done` takes the exit code. */
export function registerDocs(program: Command, io: Io, done: (code: ExitCode) => void): void {
  program
    .command('docs')
    .summary('write the contracts as a site and as Markdown')
    .description('Writes one page per tool, resource, template, prompt, job, error and scope, as HTML and as Markdown.')
    .requiredOption('--out <dir>', 'folder of the site')
    .option('--schemas <dir>', 'contract folder (default: schemas)')
    .option('--guides <dir>', `folder of guides, one folder with a SKILL.md each (default: ${GUIDES}, when there)`)
    .allowExcessArguments(false)
    .action(async (flags: DocsFlags) => done(await runDocs(flags, io)));
}

async function runDocs(flags: DocsFlags, io: Io): Promise<ExitCode> {
  const { schemas } = readOptions(flags.schemas === undefined ? {} : { schemas: flags.schemas }, io);
  const { parts, diagnostics } = await checkTree(schemas);
  if (parts === undefined || hasErrors(diagnostics)) {
    printDiagnostics(diagnostics, schemas, io);
    return 1;
  }
  const { siteFiles } = await import('../docs/site.ts');
  const { canonical, projection } = parts;
  const changelog = await readChangelog(schemas, io);
  const guides = readGuides(flags.guides, io);
  const files = siteFiles({ canonical, projection, guides, ...(changelog === undefined ? {} : { changelog }) });
  const out = resolve(io.cwd, flags.out);
  for (const [path, content] of files) write(join(out, path), content);
  const pages = [...files.keys()].filter((path) => path.endsWith('.html')).length;
  const place = relative(io.cwd, join(out, 'index.html'));
  io.out(`${palette(io.color).green(`${plural(pages, 'page')} as HTML and Markdown`)}: ${place}\n`);
  return 0;
}

/** What the releases say, below what a release of today would add to it. */
async function readChangelog(schemas: string, io: Io): Promise<string | undefined> {
  const { releasedVersions } = await import('../baseline/releases.ts');
  if (releasedVersions(schemas).length === 0) return undefined;
  const [{ gate }, { changelogEntry, prependEntry }] = await Promise.all([
    import('./gate.ts'),
    import('../baseline/changelog.ts'),
  ]);
  const { report } = await gate(undefined, { schemas }, io);
  const file = join(io.cwd, CHANGELOG);
  const released = statSync(file, { throwIfNoEntry: false })?.isFile() === true ? readFileSync(file, 'utf8') : '';
  const entry = changelogEntry(report, report.version.suggested, 'not released yet');
  return prependEntry(released, entry);
}

function write(path: string, content: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  } catch (error) {
    throw new BadInput(`The site cannot be written: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function readGuides(named: string | undefined, io: Io): ReadonlyMap<string, string> {
  const folder = resolve(io.cwd, named ?? GUIDES);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    if (named === undefined) return new Map();
    throw new BadInput(`There is no folder of guides ${named}.`);
  }
  const guides = new Map<string, string>();
  for (const name of readdirSync(folder).sort()) {
    const file = join(folder, name, 'SKILL.md');
    if (statSync(file, { throwIfNoEntry: false })?.isFile() === true)
      guides.set(`guides/${name}`, readFileSync(file, 'utf8'));
  }
  return guides;
}
