/** Emits with slow steps answered from the cache. */
import type { Declaration, Wanted } from '../emit/contracts/declarations.ts';
import type { Declare } from '../emit/contracts/entity-types.ts';
import type { EmitSource } from '../emit/emitter.ts';
import { emitAll } from '../emit/index.ts';
import type { Compile } from '../emit/validators/index.ts';
import { freshCompile } from '../emit/validators/index.ts';
import { reachable } from '../canonical/reachable.ts';
import type { CanonicalModel } from '../canonical/index.ts';
import type { Node } from '../canonical/node.ts';
import type { Cache } from '../write/cache.ts';
import { sha256 } from '../write/cache.ts';

export async function emitTree(input: EmitSource, cache: Cache): Promise<ReadonlyMap<string, string>> {
  const keyOf = makeKeys(input.canonical);
  return emitAll(input, {
    declare: cachedDeclare(input.canonical, cache, keyOf),
    compile: cachedCompile(input.canonical, cache, keyOf),
  });
}

type KeyOf = (step: string, node: Node) => string;

/** A type or validator depends on its shape and on the shapes that one reaches; each shape is read once. */
function makeKeys({ lookup }: CanonicalModel): KeyOf {
  const texts = new Map<Node, string>();
  const textOf = (node: Node): string => {
    const text = texts.get(node) ?? sha256(JSON.stringify(node));
    texts.set(node, text);
    return text;
  };
  const keys = new Map<Node, string>();
  return (step, node) => {
    const key =
      keys.get(node) ??
      [textOf(node), ...[...reachable(node, lookup)].map(([name, target]) => `${name} ${textOf(target)}`)].join(' ');
    keys.set(node, key);
    return sha256(`${step} ${key}`);
  };
}

function cachedDeclare(canonical: CanonicalModel, cache: Cache, keyOf: KeyOf): Declare {
  return async (wanted) => {
    const keys = wanted.map(({ typeName, node, view, description }) =>
      keyOf(`type ${typeName} ${view} ${description ?? ''}`, node),
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

function cachedCompile(canonical: CanonicalModel, cache: Cache, keyOf: KeyOf): Compile {
  let compile: Compile | undefined;
  return async (shape, direction) => {
    const key = keyOf(`validator ${direction}`, shape.node);
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
