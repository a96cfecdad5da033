import { createRequire } from 'node:module';
import { compilePattern } from '../../grammar/check-value.ts';
import { isAnchored, parsePattern } from './parse.ts';
import { isProvablyLinear } from './linear.ts';

export type Verdict =
  | { readonly kind: 'safe' }
  | { readonly kind: 'malformed' }
  | { readonly kind: 'slow'; readonly attack?: string }
  | { readonly kind: 'unknown' };

interface Rechecker {
  checkSync(
    source: string,
    flags: string,
    options: { readonly timeout: number },
  ): {
    readonly status: 'safe' | 'vulnerable' | 'unknown';
    readonly attack?: { readonly pattern: string };
  };
}

/** How long one pattern may be thought about. What is not settled by then is refused. */
const TIMEOUT_MS = 2000;
const verdicts = new Map<string, Verdict>();

/** Loading the checker costs more than checking all usual patterns, so it waits until one needs it. */
function recheck(pattern: string): Verdict {
  // because the package types only its main entry, which starts a worker; this entry runs in process
  const checker = createRequire(import.meta.url)('recheck/lib/browser.js') as Rechecker;
  const { status, attack } = checker.checkSync(pattern, 'u', { timeout: TIMEOUT_MS });
  if (status === 'safe') return { kind: 'safe' };
  if (status === 'unknown') return { kind: 'unknown' };
  return { kind: 'slow', ...(attack === undefined ? {} : { attack: attack.pattern }) };
}

/** Whether a backtracking engine runs the pattern in linear time. Verdicts are kept for the life of the process. */
export function judgePattern(pattern: string): Verdict {
  const known = verdicts.get(pattern);
  if (known !== undefined) return known;
  let verdict: Verdict;
  if (compilePattern(pattern) === undefined) verdict = { kind: 'malformed' };
  else verdict = isProvablyLinear(pattern) ? { kind: 'safe' } : recheck(pattern);
  verdicts.set(pattern, verdict);
  return verdict;
}

/** Whether the pattern speaks of the whole text: `^` in front and `$` at the end of every alternative. */
export function isWhole(pattern: string): boolean {
  try {
    const term = parsePattern(pattern);
    return isAnchored(term, 'start') && isAnchored(term, 'end');
  } catch {
    // Syntax the small parser does not know: anchors at both ends and no alternative outside groups are enough.
    return pattern.startsWith('^') && pattern.endsWith('$') && !/(?<!\\)\|/u.test(pattern.replace(/\([^()]*\)/gu, ''));
  }
}
