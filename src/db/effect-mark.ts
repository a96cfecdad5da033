import type { Knex } from 'knex';
import { Ambient } from '../kernel/ambient.ts';

/** Writes, inside the transaction that makes an effect, that it was made. Throws to roll the effect back. */
export type EffectMark = (tx: Knex.Transaction) => Promise<void>;

const current = new Ambient<EffectMark>();

/** Every transaction that `work` commits also carries the mark, so that effect and mark are whole or absent together. */
export function withEffectMark<T>(mark: EffectMark, work: () => Promise<T>): Promise<T> {
  return current.run(mark, work);
}

/** The mark to set before a commit, when the work runs under one. */
export function effectMark(): EffectMark | undefined {
  return current.get();
}
