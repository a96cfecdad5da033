import PostgresClient from 'knex/lib/dialects/postgres/index.js';
import type { Knex } from 'knex';
import { Ambient } from '../kernel/ambient.ts';
import { isConnectionLost, toAppError, toConnectError } from './sql-errors.ts';

interface Scope {
  open: boolean;
}

type Container = (tx: Knex.Transaction) => unknown;

/** One store for all handles: a second connection is as much a deadlock when it comes from another pool's handle. */
const openTransaction = new Ambient<Scope>();

/**
 * knex's PostgreSQL client with two habits added: it refuses the root handle inside an open transaction, and errors
 * that mean "not now" leave it as `unavailable`. It is a subclass because knex makes a transaction's client from the
 * prototype of this one.
 */
export class GuardedClient extends PostgresClient {
  override transaction(container: Container, config?: unknown, outerTx?: unknown): Knex.Transaction {
    return super.transaction((tx) => enter(container, tx), config, outerTx);
  }

  override async acquireConnection(): Promise<unknown> {
    if (openTransaction.get()?.open === true) {
      throw new Error('The root database handle is used inside an open transaction; use the transaction’s own handle.');
    }
    try {
      return await super.acquireConnection();
    } catch (error) {
      throw toConnectError(error) ?? error;
    }
  }

  override async query(connection: unknown, query: unknown): Promise<unknown> {
    try {
      return await super.query(connection, query);
    } catch (error) {
      if (isConnectionLost(error)) discard(connection, error);
      throw toAppError(error) ?? error;
    }
  }
}

/** Runs the container in a scope of its own. Work it leaves behind is free again once the container has ended. */
function enter(container: Container, tx: Knex.Transaction): unknown {
  const scope: Scope = { open: true };
  return openTransaction.run(scope, () => {
    const result = container(tx);
    if (!(result instanceof Promise)) return result;
    return result.finally(() => {
      scope.open = false;
    });
  });
}

/** The socket's end reaches us after the error does; without the mark the pool could hand out the dead connection once more. */
function discard(connection: unknown, reason: unknown): void {
  if (typeof connection === 'object' && connection !== null) Object.assign(connection, { __knex__disposed: reason });
}
