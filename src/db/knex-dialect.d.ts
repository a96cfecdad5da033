// knex types its clients only at the root; the PostgreSQL one is a plain class in this file of the package.
declare module 'knex/lib/dialects/postgres/index.js' {
  import type { Knex } from 'knex';

  type Container = (tx: Knex.Transaction) => unknown;

  export default class PostgresClient extends Knex.Client {
    transaction(container: Container, config?: unknown, outerTx?: unknown): Knex.Transaction;
    acquireConnection(): Promise<unknown>;
    query(connection: unknown, query: unknown): Promise<unknown>;
  }
}
