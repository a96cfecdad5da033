import { DuckDBArrayType, DuckDBListType, DuckDBMapType, DuckDBStructType, DuckDBUnionType } from '@duckdb/node-api';
import type { DuckDBDataChunk, DuckDBType } from '@duckdb/node-api';

/**
 * Calls the fields of all structs in the chunk by their positions, before any value of it is read. The client puts a
 * struct's values into an object by the names it knows: fields without names would overwrite each other, names that are
 * whole numbers come first in it, and `__proto__` never gets in.
 */
export function numberFields(chunk: DuckDBDataChunk): void {
  for (let index = 0; index < chunk.columnCount; index += 1) numberFieldsOf(chunk.getColumnVector(index).type);
}

/** Names for the fields of a struct, all different: one that several have, which is none at all, becomes its position. */
export function fieldNames({ entryNames }: DuckDBStructType): readonly string[] {
  const taken = new Set(entryNames);
  if (taken.size === entryNames.length) return entryNames;
  return entryNames.map((name, index) => {
    if (name !== '') return name;
    let free = String(index + 1);
    while (taken.has(free)) free += '_';
    taken.add(free);
    return free;
  });
}

function numberFieldsOf(type: DuckDBType): void {
  if (type instanceof DuckDBListType || type instanceof DuckDBArrayType) return numberFieldsOf(type.valueType);
  if (type instanceof DuckDBUnionType) return type.memberTypes.forEach(numberFieldsOf);
  if (type instanceof DuckDBMapType) return [type.keyType, type.valueType].forEach(numberFieldsOf);
  if (!(type instanceof DuckDBStructType)) return;
  // because the client made this array for this chunk alone and reads the names from it again for each value
  const names = type.entryNames as string[];
  for (const index of names.keys()) names[index] = String(index);
  type.entryTypes.forEach(numberFieldsOf);
}
