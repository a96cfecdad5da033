/** Emits with slow steps answered from the cache. */
import type { Declaration, Wanted } from '../emit/contracts/declarations.ts';
import type { Declare } from '../emit/contracts/entity-types.ts';
import type { EmitInput } from '../emit/emitter.ts';
import { emitAll } from '../emit/index.ts';
import type { Compile } from '../emit/validators/index.ts';
import { freshCompile } from '../emit/validators/index.ts';
import { reachable } from '../canonical/reachable.ts';
import type { CanonicalModel } from '../canonical/index.ts';
import type { Node } from '../canonical/node.ts';
import type { Cache } from '../write/cache.ts';
import { sha256 } from '../write/cache.ts';

export async function emitTree(input: EmitInput, cache: Cache): Promise<ReadonlyMap<string, string>> {
  return emitAll(input, {
    declare: cachedDeclare(input.canonical, cache),
    compile: cachedCompile(input.canonical, cache),
  });
}

/** A type or validator depends on its shape and on the shapes that one reaches. */
function keyOf(step: string, node: Node, { lookup }: CanonicalModel): string {
  return sha256(JSON.stringify([step, node, [...reachable(node, lookup)]]));
}

function cachedDeclare(canonical: CanonicalModel, cache: Cache): Declare {
  return async (wanted) => {
    const keys = wanted.map(({ typeName, node, view, description }) =>
      keyOf(`type ${typeName} ${view} ${description ?? ''}`, node, canonical),
    );
    const missing: Wanted[] = wanted.filter((_, index) => !isDeclaration(cache.piece(keys[index] ?? '')));
    const fresh =
      missing.length === 0
        ? []
        : await (await import('../emit/contracts/declarations.ts')).declareTypes(missing, canonical.lookup);
    const made = new Map(fresh.map((declaration) => [declaration.typeName, declaration]));
    return wanted.map(({ typeName }, index) => {
      const key = keys[index] ?? '';
      const declaration = made.get(typeName) ?? cache.piece(key);
      if (!isDeclaration(declaration)) throw new Error(`no type was declared for ${typeName}`);
      cache.keepPiece(key, declaration);
      return declaration;
    });
  };
}

function cachedCompile(canonical: CanonicalModel, cache: Cache): Compile {
  let compile: Compile | undefined;
  return async (shape, direction) => {
    const key = keyOf(`validator ${direction}`, shape.node, canonical);
    const known = cache.piece(key);
    if (typeof known === 'string') return known;
    compile ??= await freshCompile(canonical);
    const text = await compile(shape, direction);
    cache.keepPiece(key, text);
    return text;
  };
}

function isDeclaration(value: unknown): value is Declaration {
  return typeof value === 'object' && value !== null && 'text' in value && 'mentions' in value;
}
