import { clip } from '../../kernel/bounded.ts';

const LENGTH_MAX = 300;
/** What only opens a comment is no path. */
const ABSOLUTE_PATH = /(?<![\w.])(?:\/|[A-Za-z]:\\|~\/)[^\s"'`)\]*][^\s"'`)\]]*/g;

/** The first line of what the engine said, without paths, short enough for a caller to read. */
export function clipMessage(message: string): string {
  const line = (message.split(/\r?\n/, 1)[0] ?? '').replaceAll(ABSOLUTE_PATH, '<path>').trim();
  return line.length <= LENGTH_MAX ? line : `${clip(line, LENGTH_MAX - 1)}…`;
}
