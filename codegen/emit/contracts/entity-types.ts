/** One file of types per entity, with the imports its types need. */
import type { Declaration } from './declarations.ts';
import type { Wanted } from './declarations.ts';
import type { EmitInput, Emitted, EmittedFile } from '../emitter.ts';
import { findHomes } from './homes.ts';
import type { Home, Homes } from './homes.ts';
import { importLines } from './imports.ts';

export type Declare = (wanted: readonly Wanted[]) => Promise<readonly Declaration[]>;

/** Loads the type emitter only when something has to be declared. */
function freshDeclare({ lookup }: EmitInput['canonical']): Declare {
  return async (wanted) => (await import('./declarations.ts')).declareTypes(wanted, lookup);
}

/** `declare` may answer from a cache; it must answer in the order it was asked. */
export async function emitEntityTypes(
  { canonical }: EmitInput,
  declare: Declare = freshDeclare(canonical),
): Promise<Emitted> {
  const homes = findHomes(canonical);
  const declared = new Map<string, Declaration>();
  const wanted = [...homes.files.values()].flatMap((home) => home.wanted);
  for (const declaration of await declare(wanted)) declared.set(declaration.typeName, declaration);
  const files = new Map<string, EmittedFile>();
  for (const home of homes.files.values())
    files.set(home.path, { source: home.source, body: fileBody(home, homes, declared) });
  return files;
}

function fileBody(home: Home, homes: Homes, declared: ReadonlyMap<string, Declaration>): string {
  const own = home.wanted.flatMap(({ typeName }) => declared.get(typeName) ?? []);
  const mentioned = own.flatMap((declaration) => declaration.mentions);
  const parts = [
    ...own.map(({ text }) => text),
    ...home.aliases.map(({ typeName, of }) => `export type ${typeName} = ${of};`),
    ...home.unions.map(({ text }) => text),
  ];
  const imports = importLines(home.path, mentioned, homes.pathOf);
  return `${[...(imports === '' ? [] : [imports]), ...parts].join('\n\n')}\n`;
}
