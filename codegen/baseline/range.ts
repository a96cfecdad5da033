/** Reads what a person writes to name both ends of a comparison: `A..B`, `A...B` or `A` alone. */
import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';

export interface Range {
  readonly from: string;
  readonly to: string;
  /** Whether the comparison begins where B left A. */
  readonly forked: boolean;
}

/** Undefined when the text names one thing. Paths hold dots too, so a cut counts only where both ends can be named. */
export function readRange(text: string, cwd: string): Range | undefined {
  if (exists(text, cwd)) return undefined;
  for (let at = text.indexOf('..'); at >= 0; at = text.indexOf('..', at + 1)) {
    for (const dots of ['...', '..']) {
      if (!text.startsWith(dots, at)) continue;
      // A step up inside a path stands between slashes.
      if ((at === 0 || text[at - 1] === '/') && text[at + dots.length] === '/') continue;
      const [from, to] = [text.slice(0, at), text.slice(at + dots.length)];
      if (isEnd(from, cwd) && isEnd(to, cwd)) return { from, to, forked: dots === '...' };
    }
  }
  return undefined;
}

/** Nothing, an address, something on disk, or what may name a commit or a release. */
function isEnd(name: string, cwd: string): boolean {
  if (/^[./]|\.\./u.test(name)) return exists(name, cwd);
  return !/^https?:/u.test(name) || URL.canParse(name);
}

/** As the system reads the path: `a..b/../c` is not `c` unless there is a folder `a..b`. */
function exists(name: string, cwd: string): boolean {
  return existsSync(isAbsolute(name) ? name : `${cwd}/${name}`);
}
