import { connect, type ConnectOptions, type DatabaseAddress } from './connect.ts';
import type { Db } from './database.ts';
import { startEmbedded } from './embedded.ts';

export interface OpenDatabase {
  readonly db: Db;
  readonly address: DatabaseAddress;
  readonly embedded: boolean;
  /** Ends the pool and leaves the embedded server, when there is one. */
  close(): Promise<void>;
}

export interface OpenOptions extends ConnectOptions {
  /** Any PostgreSQL 15 or newer; without it the embedded one is used. */
  readonly databaseUrl?: string;
  /** Folder of the embedded database. */
  readonly folder: string;
}

/** Opens the database the settings name. */
export async function openDatabase(options: OpenOptions): Promise<OpenDatabase> {
  const { databaseUrl, folder, ...rest } = options;
  if (databaseUrl !== undefined) {
    const address = { url: databaseUrl };
    const db = connect(address, rest);
    return { db, address, embedded: false, close: () => db.destroy() };
  }
  const server = await startEmbedded({ folder, ...(rest.logger === undefined ? {} : { logger: rest.logger }) });
  const db = connect(server.address, rest);
  return {
    db,
    address: server.address,
    embedded: true,
    close: async () => {
      await db.destroy();
      await server.leave();
    },
  };
}
