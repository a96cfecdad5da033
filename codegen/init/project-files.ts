/** The files of a new contract-first project: templates with its name in them. */
import { render } from '../emit/render.ts';
import { publishedGrammar } from '../grammar/index.ts';

export interface NewProject {
  readonly name: string;
  /** What package.json asks for as `overmind-mcp`. */
  readonly package: string;
}

/** Packages of a new project, at the versions this package is tested with; the first is this package itself. */
export const VERSIONS = {
  overmind: '0.1.0',
  tsx: '4.23.15',
  otherValidator: '4.1.6',
  mochaTypes: '10.0.10',
  nodeTypes: '20.19.43',
  mocha: '12.0.3',
  typescript: '7.0.2',
};

/** Template of each file; a leading dot or a long path would hide or bury the template. */
const FILES: Readonly<Record<string, string>> = {
  'package.json': 'root/package.json',
  'tsconfig.json': 'root/tsconfig.json',
  Makefile: 'root/Makefile',
  'README.md': 'root/README.md',
  '.gitignore': 'root/gitignore',
  '.gitattributes': 'root/gitattributes',
  '.github/workflows/ci.yml': 'github/ci.yml',
  'schemas/server.yaml': 'schemas/server.yaml',
  'schemas/vocabulary/domains.yaml': 'schemas/vocabulary/domains.yaml',
  'schemas/vocabulary/errors.yaml': 'schemas/vocabulary/errors.yaml',
  'schemas/vocabulary/scopes.yaml': 'schemas/vocabulary/scopes.yaml',
  'schemas/tools/texts/estimate_reading.yaml': 'schemas/tools/texts/estimate_reading.yaml',
  'src/adapters/index.ts': 'src/adapters/index.ts',
  'src/adapters/texts.ts': 'src/adapters/texts.ts',
  'src/contexts.ts': 'src/contexts.ts',
  'src/domain/reading.ts': 'src/domain/reading.ts',
  'src/main.ts': 'src/main.ts',
  'src/readers.ts': 'src/readers.ts',
  'src/server.ts': 'src/server.ts',
  'tests/support/describe-tool.ts': 'tests/support/describe-tool.ts',
  'tests/support/world.ts': 'tests/support/world.ts',
  'tests/tools/texts/estimate_reading.test.ts': 'tests/tools/texts/estimate_reading.test.ts',
};

/** By path. The grammar goes along, so that an editor knows every key. */
export function projectFiles(project: NewProject): ReadonlyMap<string, string> {
  const values = { ...project, title: titleOf(project.name), scheme: project.name, versions: VERSIONS };
  const files = new Map(
    Object.entries(FILES).map(([path, template]) => [path, render(import.meta.url, template, values)]),
  );
  for (const [file, text] of publishedGrammar()) files.set(`schemas/meta/${file}`, text);
  return files;
}

/** `check_spelling` and `my-server` as a person writes them. */
export function titleOf(name: string): string {
  const words = name.replaceAll(/[-_]+/gu, ' ');
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}
