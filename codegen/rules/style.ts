/** How contract files begin. Judged only where some file has a modeline: a tree without an editor needs none. */
import { placeOf } from '../load/layout.ts';
import { LineIndex } from '../load/positions.ts';
import type { Source } from '../model/types.ts';
import type { Rule } from './rule.ts';

const MODELINE = /^# yaml-language-server: \$schema=(\S+)$/mu;

/** The line that leads an editor from a contract file to the grammar of its kind. */
function modelineOf(file: string): string | undefined {
  const place = placeOf(file);
  if (place === undefined) return undefined;
  const up = '../'.repeat(file.split('/').length - 1);
  return `# yaml-language-server: $schema=${up}meta/${place.kind}.schema.json`;
}

function sourceOf(file: string, text: string): Source {
  const lines = new LineIndex(text);
  return { file, locate: () => lines.position(file, 0) };
}

export const yamlStyle: Rule = {
  id: 'yaml-style',
  level: 'info',
  fixes: 'some',
  sentence: 'A contract file begins with its modeline and its kind, once the tree uses modelines.',
  *check(_model, { texts }) {
    if (![...texts.values()].some((text) => MODELINE.test(text))) return;
    for (const [file, text] of texts) {
      const line = modelineOf(file);
      if (line === undefined) continue;
      const entity = `file ${file}`;
      const written = MODELINE.exec(text)?.[0];
      if (written !== line)
        yield {
          source: sourceOf(file, text),
          path: [],
          entity,
          message: written === undefined ? 'The file has no modeline.' : 'The modeline leads elsewhere.',
          remedy: `Begin with \`${line}\`.`,
          fix: { title: 'Write the modeline', exact: true, edits: [{ do: 'modeline', path: [], line }] },
        };
      if (!/^(?:#[^\n]*\n|\s*\n)*kind:/u.test(text))
        yield {
          source: sourceOf(file, text),
          path: [],
          entity,
          message: 'The file does not begin with its kind.',
          remedy: 'Move `kind` to the top.',
        };
    }
  },
};
