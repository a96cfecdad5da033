import type { Stability } from '../../model/types.ts';

/** What a change means: proved or promised to hurt, may hurt, worth reading, nothing, not decided. */
export type Verdict = 'breaking' | 'risky' | 'notice' | 'safe' | 'unknown';

/**
 * Who is hurt: calls or results fail (wire), mainstream clients refuse or cache (client), hints and scopes people
 * decided on (policy), what a model reads and pays for (agent), generated code (source).
 */
export type RuleSet = 'wire' | 'client' | 'policy' | 'agent' | 'source';

/** Input: old calls must still be accepted. Output: new results must be what was promised. */
export type Direction = 'in' | 'out' | 'both';

export interface Rule {
  readonly id: string;
  readonly direction: Direction;
  /** The verdict for beta and stable entities. */
  readonly verdict: Verdict;
  /** When the verdict is another one; absent when it never is. */
  readonly unless?: string;
  readonly sets: readonly RuleSet[];
  readonly rationale: string;
  /** What a caller, or the author, should do. */
  readonly migration: string;
}

/** Draft entities promise nothing, alpha ones may break with a warning. */
export function verdictAt(rule: Rule, stability: Stability): Verdict {
  if (stability === 'draft') return rule.verdict === 'safe' ? 'safe' : 'notice';
  if (stability === 'alpha' && rule.verdict === 'breaking') return 'risky';
  return rule.verdict;
}

/** Days between announcing the end of an entity and its end. */
export const SUNSET_DAYS: Readonly<Record<Stability, number>> = { draft: 0, alpha: 0, beta: 30, stable: 90 };

const SETS: Readonly<Record<string, RuleSet>> = { W: 'wire', C: 'client', P: 'policy', A: 'agent', S: 'source' };
const VERDICTS: Readonly<Record<string, Verdict>> = {
  B: 'breaking',
  R: 'risky',
  N: 'notice',
  S: 'safe',
  U: 'unknown',
};

/** "WC" gives wire and client. */
function setsOf(letters: string): RuleSet[] {
  return letters.split('').map((letter) => {
    const set = SETS[letter];
    if (set === undefined) throw new RangeError(`no rule set is called ${letter}`);
    return set;
  });
}

function verdictOf(letter: string): Verdict {
  const verdict = VERDICTS[letter];
  if (verdict === undefined) throw new RangeError(`no verdict is called ${letter}`);
  return verdict;
}

/** A row of a table of rules that have no direction. */
export type Row = readonly [
  id: string,
  verdict: string,
  sets: string,
  rationale: string,
  migration: string,
  unless?: string,
];

export function rulesOf(rows: readonly Row[], direction: Direction = 'both'): Rule[] {
  return rows.map(([id, verdict, sets, rationale, migration, unless]) => ({
    id,
    direction,
    verdict: verdictOf(verdict),
    ...(unless === undefined ? {} : { unless }),
    sets: setsOf(sets),
    rationale,
    migration,
  }));
}

/** One change to a schema, and what it means on either side. */
export interface SchemaRow {
  readonly change: string;
  readonly verdicts: readonly [input: Verdict, output: Verdict];
  readonly sets: string;
  readonly why: string;
  readonly input: string;
  readonly output: string;
  readonly unless?: readonly [input: string, output: string];
}

/** A schema row on one line; `verdicts` holds two letters. */
export type ShortSchemaRow = readonly [
  change: string,
  verdicts: string,
  sets: string,
  why: string,
  input: string,
  output: string,
  unless?: readonly [input: string, output: string],
];

export function schemaRow([change, letters, sets, why, input, output, unless]: ShortSchemaRow): SchemaRow {
  const [first = '', second = ''] = letters;
  const verdicts = [verdictOf(first), verdictOf(second)] as const;
  return { change, verdicts, sets, why, input, output, ...(unless === undefined ? {} : { unless }) };
}

/** Each change gives an input rule and its output mirror. */
export function schemaRules(rows: readonly SchemaRow[]): Rule[] {
  return rows.flatMap((row) => {
    const side = (at: 0 | 1): Rule => ({
      id: `${at === 0 ? 'in' : 'out'}-${row.change}`,
      direction: at === 0 ? 'in' : 'out',
      verdict: row.verdicts[at],
      ...(row.unless === undefined || row.unless[at] === '' ? {} : { unless: row.unless[at] }),
      sets: setsOf(row.sets),
      rationale: row.why,
      migration: at === 0 ? row.input : row.output,
    });
    return [side(0), side(1)];
  });
}
