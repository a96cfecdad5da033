import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { buildTable, unpackTable, type TokenTable } from './table.ts';

/** Beside the compiled code, where the build has put it. */
export const TABLE_FILE = new URL('o200k.table', import.meta.url);

/** The table of the build; run from source, it is made anew from the vocabulary of the package. */
export function loadTable(): TokenTable {
  return readBuilt() ?? buildTable(readVocabulary());
}

export function readVocabulary(): string {
  const { resolve } = createRequire(import.meta.url);
  return readFileSync(resolve('gpt-tokenizer/data/o200k_base.tiktoken'), 'latin1');
}

function readBuilt(): TokenTable | undefined {
  try {
    // A small file may share the memory of others and then begin anywhere in it.
    return unpackTable(readFileSync(TABLE_FILE));
  } catch {
    return undefined;
  }
}
