/** Part of the build: the type checker copies no templates, so they are put beside the compiled emitters here. */
import { copyFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listFiles } from './write/tree-files.ts';

const target = fileURLToPath(new URL('.', import.meta.url));
const source = fileURLToPath(new URL('../../codegen/', import.meta.url));

for (const path of listFiles(source)) {
  if (!path.endsWith('.hbs')) continue;
  mkdirSync(dirname(join(target, path)), { recursive: true });
  copyFileSync(join(source, path), join(target, path));
}
