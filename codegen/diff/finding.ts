import type { JsonValue, SourcePosition, Stability } from '../model/types.ts';
import type { RuleSet, Verdict } from './rules/rule.ts';

/** A concrete value that shows the break: one side's validator accepts it and the other's refuses it. */
export interface Witness {
  /** Arguments of an old call (`in`), or a new result (`out`). */
  readonly value: JsonValue;
  readonly acceptedBy: 'old' | 'new';
  readonly refusedBy: 'old' | 'new';
}

/** What stopped the prover. */
export interface Undecidable {
  readonly keyword: string;
  /** Pointer into the schema that was asked about. */
  readonly path: string;
  readonly reason: string;
}

/** The approval that covers a finding. */
export interface Approved {
  /** Name of the file under `changes/`. */
  readonly change: string;
  readonly reason: string;
  readonly owner: string;
  readonly expires?: string;
}

/** One cause, once, with everything it touches. */
export interface Finding {
  readonly rule: string;
  /** After scaling by stability. */
  readonly verdict: Verdict;
  readonly sets: readonly RuleSet[];
  /** Kind and name: `tool query_dataset`, `model trace_row`, `error rate_limited`, `server`. */
  readonly entity: string;
  /** JSON pointer inside the contract of the entity, spelt as in its file; empty for the entity itself. */
  readonly path: string;
  /** Whose values a schema rule is about; absent for other rules. */
  readonly direction?: 'in' | 'out';
  /** One sentence with its full stop. */
  readonly message: string;
  readonly before?: JsonValue;
  readonly after?: JsonValue;
  readonly witness?: Witness;
  /** Present when the verdict is `unknown`. */
  readonly unknown?: Undecidable;
  /** Published views that show the change, as `grant · revision`; `every` stands for all of either. */
  readonly views: readonly string[];
  /** Entities that use the shared component the finding is about: `tool query_traces output`. */
  readonly uses: readonly string[];
  /** Where the thing seems to have gone; a hint that never changes the verdict. */
  readonly renamedTo?: string;
  /** Safe for the server, yet unreachable for clients until they list again. */
  readonly cacheLag: boolean;
  /** Somebody may reach more, or see more, than was agreed. */
  readonly security: boolean;
  readonly stability: Stability;
  readonly rationale: string;
  /** What a caller, or the author, does now. */
  readonly migration: string;
  /** Over rule, entity, path and normalised before and after; never over prose. */
  readonly fingerprint: string;
  /** In the new tree, or in the old one for what is gone; absent for snapshots and servers. */
  readonly position?: SourcePosition;
  readonly approved?: Approved;
  /** The older release that the change breaks, when the newest one is not broken by it. */
  readonly baseline?: string;
}

/** One end of a comparison. */
export interface Side {
  /** What was asked for: a ref, a path, an address. */
  readonly label: string;
  readonly version: string;
  /** SHA-256 over the surface. */
  readonly digest: string;
  readonly origin: 'contracts' | 'server';
}

export interface TokenChange {
  readonly entity: string;
  readonly before: number;
  readonly after: number;
  readonly segments: Readonly<Record<string, readonly [before: number, after: number]>>;
}

export interface EntityChange {
  readonly entity: string;
  readonly before?: JsonValue;
  readonly after?: JsonValue;
}

export type Bump = 'none' | 'patch' | 'minor' | 'major';

export interface VersionAdvice {
  readonly before: string;
  readonly after: string;
  readonly required: Bump;
  readonly given: Bump | 'decrease';
  /** The least version that tells the truth. */
  readonly suggested: string;
}

export interface DiffReport {
  readonly before: Side;
  readonly after: Side;
  /** Worst first, then by entity and path. Approved ones are among them. */
  readonly findings: readonly Finding[];
  /** Open findings, approved ones not counted. */
  readonly counts: Readonly<Record<Verdict, number>>;
  readonly approved: number;
  readonly failOn: 'breaking' | 'risky' | 'notice';
  readonly sets: readonly RuleSet[];
  /** Whether a finding is at or above the threshold. */
  readonly failed: boolean;
  readonly version: VersionAdvice;
  readonly tokens: {
    readonly before: number;
    readonly after: number;
    readonly changes: readonly TokenChange[];
  };
  /** Contracts that differ, before and after, for a reader to compare. */
  readonly entities: readonly EntityChange[];
}
