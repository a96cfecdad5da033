/**
 * Part of the build: the type checker copies neither templates nor pages, so they are put beside the compiled code
 * here. The table of the token counter joins them, because making it takes longer than most commands.
 */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readVocabulary, TABLE_FILE } from './tokens/load.ts';
import { buildTable, packTable } from './tokens/table.ts';
import { listFiles } from './write/tree-files.ts';

const sources = fileURLToPath(new URL('../../', import.meta.url));
const compiled = fileURLToPath(new URL('../', import.meta.url));

copy('codegen', (path) => path.endsWith('.hbs'));
copy('src/console', (path) => path.startsWith('views/') || path.startsWith('assets/'));
writeFileSync(TABLE_FILE, packTable(buildTable(readVocabulary())));

function copy(folder: string, isWanted: (path: string) => boolean): void {
  for (const path of listFiles(join(sources, folder))) {
    if (!isWanted(path)) continue;
    const target = join(compiled, folder, path);
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(join(sources, folder, path), target);
  }
}
