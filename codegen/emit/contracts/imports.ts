import { compareText } from '../../canonical/json.ts';

/** `import type` lines for the names, one per declaring file, sorted; names of the file itself are skipped. */
export function importLines(from: string, names: readonly string[], pathOf: ReadonlyMap<string, string>): string {
  const byPath = new Map<string, Set<string>>();
  for (const name of names) {
    const path = pathOf.get(name);
    if (path === undefined || path === from) continue;
    byPath.set(path, (byPath.get(path) ?? new Set()).add(name));
  }
  return [...byPath]
    .sort(([left], [right]) => compareText(left, right))
    .map(([path, set]) => `import type { ${[...set].sort(compareText).join(', ')} } from '${relative(from, path)}';`)
    .join('\n');
}

/** A relative specifier between two paths of the output folder. */
export function relative(from: string, to: string): string {
  const base = from.split('/').slice(0, -1);
  const target = to.split('/');
  let shared = 0;
  while (shared < base.length && base[shared] === target[shared]) shared += 1;
  const up = base.slice(shared).map(() => '..');
  const path = [...up, ...target.slice(shared)].join('/');
  return up.length === 0 ? `./${path}` : path;
}
