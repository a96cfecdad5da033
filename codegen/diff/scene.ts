import { canonicalText } from '../canonical/json.ts';
import type { JsonValue, Stability } from '../model/types.ts';
import type { Undecidable, Witness } from './finding.ts';
import type { Verdict } from './rules/rule.ts';
import type { Surface } from './surface/types.ts';

/** What a comparison reports: a finding before it is scaled, grouped and told apart. */
export interface Draft {
  readonly rule: string;
  readonly entity: string;
  readonly path?: string;
  /** One sentence with its full stop. */
  readonly message: string;
  readonly before?: JsonValue;
  readonly after?: JsonValue;
  /** When it is not the verdict of the rule. */
  readonly verdict?: Verdict;
  readonly direction?: 'in' | 'out';
  readonly witness?: Witness;
  readonly unknown?: Undecidable;
  readonly renamedTo?: string;
  readonly cacheLag?: boolean;
  readonly security?: boolean;
  /** Stable when absent. */
  readonly stability?: Stability;
  /** The entity whose body uses the shared shape. */
  readonly use?: string;
  /** Kind and name of what the views list; the entity itself when absent. */
  readonly shown?: string;
}

/** Both surfaces, and where to report. */
export interface Scene {
  readonly before: Surface;
  readonly after: Surface;
  /** ISO date. */
  readonly today: string;
  readonly report: (draft: Draft) => void;
}

export interface Pair<T> {
  readonly name: string;
  readonly before: T;
  readonly after: T;
}

export interface Matched<T> {
  readonly both: readonly Pair<T>[];
  readonly gone: readonly (readonly [name: string, entity: T])[];
  readonly fresh: readonly (readonly [name: string, entity: T])[];
}

/** Entities by identity: those on both sides, those that are gone and those that are new. */
export function match<T>(before: Readonly<Record<string, T>>, after: Readonly<Record<string, T>>): Matched<T> {
  const both: Pair<T>[] = [];
  const gone: (readonly [string, T])[] = [];
  for (const [name, entity] of Object.entries(before)) {
    const other = Object.hasOwn(after, name) ? after[name] : undefined;
    if (other === undefined) gone.push([name, entity]);
    else both.push({ name, before: entity, after: other });
  }
  return { both, gone, fresh: Object.entries(after).filter(([name]) => !Object.hasOwn(before, name)) };
}

export function same(a: unknown, b: unknown): boolean {
  return a === b || textOf(a) === textOf(b);
}

function textOf(value: unknown): string {
  // because surfaces hold JSON alone
  return value === undefined ? '' : canonicalText(value as JsonValue);
}

/** Members of the first list that the second lacks. */
export function lacking<T>(list: readonly T[], other: readonly T[]): T[] {
  return list.filter((item) => !other.includes(item));
}

export function quoted(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}
