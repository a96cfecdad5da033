import { AppError } from '../kernel/errors.ts';
import type { Migration } from './migrations/migration.ts';

/** A step as the database has it on record. */
export interface AppliedStep {
  readonly name: string;
  /** How many steps, counted from the first, a server must know to go on beside this one. */
  readonly needs: number;
}

export interface MigrationState {
  readonly applied: readonly string[];
  readonly pending: readonly string[];
  /** Steps of a later version that this one can go on beside. */
  readonly ahead: readonly string[];
}

/**
 * What the record of a database means for the steps this version knows: what is still to do, or what a later version
 * has done already. Refuses a record that is not one of ours, or that took away what this version works with.
 */
export function compareHistory(applied: readonly AppliedStep[], migrations: readonly Migration[]): MigrationState {
  const known = migrations.length;
  for (const [index, { name }] of applied.slice(0, known).entries()) {
    const expected = migrations[index]?.name;
    if (expected === name) continue;
    throw refused(
      `The database was migrated by another program: its step ${index + 1} is ${name}, this version has ${expected ?? 'none'} there. Run the version that made it, or start with another database.`,
    );
  }
  const ahead = applied.slice(known);
  const breaking = ahead.find((step) => step.needs > known);
  if (breaking !== undefined) {
    throw refused(
      `The database was migrated by a later version: its step ${breaking.name} ended what this version, which ends at ${migrations.at(-1)?.name ?? 'nothing'}, works with. Run the later version.`,
    );
  }
  return {
    applied: applied.map((step) => step.name),
    pending: migrations.slice(applied.length).map((migration) => migration.name),
    ahead: ahead.map((step) => step.name),
  };
}

/** The same need as a number, which servers that do not know the step can still compare. */
export function needsOf(migration: Migration, migrations: readonly Migration[]): number {
  if (migration.needs === undefined) return 0;
  const position = migrations.findIndex(({ name }) => name === migration.needs) + 1;
  if (position === 0 || position > migrations.indexOf(migration)) {
    throw new Error(`The step ${migration.name} needs ${migration.needs}, which is no step before it.`);
  }
  return position;
}

function refused(message: string): AppError {
  return new AppError('unavailable', message);
}
