/** Decides which file declares which type, and in which views. */
import { hasDefaults } from '../../canonical/defaults.ts';
import { fillsDefaults } from '../../canonical/index.ts';
import type { CanonicalModel, Shape } from '../../canonical/index.ts';
import { unionOf } from '../literal.ts';
import type { Wanted } from './declarations.ts';

export interface Home {
  readonly path: string;
  readonly source: string;
  /** Types the file declares, in order. */
  readonly wanted: Wanted[];
  /** Names that are another name for one of them. */
  readonly aliases: { readonly typeName: string; readonly of: string }[];
  /** Unions that no schema holds: what a handler may raise, which words a job's status has. */
  readonly unions: { readonly typeName: string; readonly text: string }[];
}

export interface Homes {
  /** By path. */
  readonly files: ReadonlyMap<string, Home>;
  /** Path of the file that declares a type. */
  readonly pathOf: ReadonlyMap<string, string>;
}

export function findHomes(canonical: CanonicalModel): Homes {
  const files = new Map<string, Home>();
  const pathOf = new Map<string, string>();
  const bySource = sourcePaths(canonical);
  for (const shape of canonical.shapes.values()) {
    const path = bySource.get(shape.source.file);
    if (path === undefined) continue;
    const home = files.get(path) ?? { path, source: shape.source.file, wanted: [], aliases: [], unions: [] };
    files.set(path, home);
    addViews(shape, canonical, home);
  }
  addUnions(canonical, files, bySource);
  for (const home of files.values()) {
    for (const { typeName } of [...home.wanted, ...home.aliases, ...home.unions]) pathOf.set(typeName, home.path);
  }
  return { files, pathOf };
}

function addUnions(
  { model }: CanonicalModel,
  files: ReadonlyMap<string, Home>,
  bySource: ReadonlyMap<string, string>,
): void {
  const add = (source: string, typeName: string, names: readonly string[], doc: string): void => {
    files
      .get(bySource.get(source) ?? '')
      ?.unions.push({ typeName, text: `/** ${doc} */\nexport type ${typeName} = ${unionOf(names)};` });
  };
  for (const tool of model.tools)
    add(tool.source.file, `${tool.typeName}Error`, tool.errors, `Codes the handler of \`${tool.name}\` may raise.`);
  for (const job of model.jobs)
    add(
      job.source.file,
      `${job.typeName}Status`,
      job.statuses.map(({ name }) => name),
      'Public statuses, in order of life.',
    );
}

/** What a handler receives keeps the plain name; what a caller may send differs only where something is filled in. */
function addViews(shape: Shape, canonical: CanonicalModel, home: Home): void {
  const { typeName, node, role } = shape;
  const differs = hasDefaults(node, canonical.lookup);
  const told = shape.description === undefined ? {} : { description: shape.description };
  if (!fillsDefaults(role)) {
    home.wanted.push({ typeName, node, view: 'sent', ...told });
    const shared = role === 'model' || role === 'definition';
    if (shared && differs) home.wanted.push({ typeName: `${typeName}Filled`, node, view: 'filled', ...told });
    return;
  }
  home.wanted.push({ typeName, node, view: 'filled', ...told });
  const call = role === 'toolInput' ? `${typeName.slice(0, -'Input'.length)}Call` : `${typeName}Call`;
  if (differs) home.wanted.push({ typeName: call, node, view: 'sent', ...told });
  else if (role === 'toolInput') home.aliases.push({ typeName: call, of: typeName });
}

/** The declaring file by contract file: one per entity, the fields of all errors together. */
function sourcePaths({ model }: CanonicalModel): ReadonlyMap<string, string> {
  const paths = new Map<string, string>();
  for (const { name, source } of model.models) paths.set(source.file, `contracts/models/${name}.ts`);
  for (const { name, domain, source } of model.tools) paths.set(source.file, `contracts/tools/${domain}/${name}.ts`);
  for (const { name, source } of model.resources) paths.set(source.file, `contracts/resources/${name}.ts`);
  for (const { name, source } of model.prompts) paths.set(source.file, `contracts/prompts/${fileName(name)}.ts`);
  for (const { name, source } of model.jobs) paths.set(source.file, `contracts/jobs/${name}.ts`);
  for (const { name, source } of model.endpoints) paths.set(source.file, `contracts/endpoints/${name}.ts`);
  for (const { source } of model.errors) paths.set(source.file, 'contracts/error-fields.ts');
  return paths;
}

/** Prompt names may hold hyphens; files carry the contract's own file name. */
export function fileName(name: string): string {
  return name.replaceAll('-', '_');
}
