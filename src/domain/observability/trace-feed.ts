import type { Db } from '../../db/database.ts';
import { AppError } from '../../kernel/errors.ts';
import type { PageCursors } from '../../kernel/page-cursor.ts';
import { SpanBounds } from './span-bounds.ts';
import { TraceListReadModel } from './trace-list-read-model.ts';
import type { TraceRow } from './trace-query.ts';

/** A trace that arrived, and where to go on after it. */
export interface Arrival {
  readonly row: TraceRow;
  readonly cursor: string;
}

const ARRIVALS_MAX = 100;

/** A project's new traces in the order in which they become visible; whoever follows it meets each of them once. */
export class TraceFeed {
  readonly #lists: TraceListReadModel;
  readonly #cursors: PageCursors;
  readonly #bounds = new SpanBounds();

  constructor(parts: { readonly db: Db; readonly cursors: PageCursors }) {
    this.#lists = new TraceListReadModel(parts.db);
    this.#cursors = parts.cursors;
  }

  /** The place behind every trace that is there by now. */
  async end(projectId: string): Promise<string> {
    return this.#cursors.seal(identityOf(projectId), [await this.#lists.lastArrival(projectId)]);
  }

  /** The next traces after the place; `invalid_filter` for a place of another project, or of nobody's. */
  async after(projectId: string, cursor: string): Promise<readonly Arrival[]> {
    const [position] = this.#cursors.open(identityOf(projectId), cursor);
    if (typeof position !== 'string') throw new AppError('invalid_filter', 'The cursor is not of live traces.');
    const found = await this.#lists.arrivals(projectId, position, ARRIVALS_MAX);
    return found.map(({ row, arrival }) => ({
      row: { ...row, name: this.#bounds.text(row.name) },
      cursor: this.#cursors.seal(identityOf(projectId), [arrival]),
    }));
  }
}

function identityOf(projectId: string): unknown {
  return { list: 'live traces', projectId };
}
