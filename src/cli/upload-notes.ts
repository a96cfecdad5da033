import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from './connection.ts';

/** What makes two uploads one and the same: where to, and which bytes. */
export interface UploadIdentity {
  readonly origin: string;
  readonly projectId: string;
  readonly fileName: string;
  readonly sha256: string;
}

/** Remembers uploads that were begun, so that the command run again after an interruption goes on where it stopped. */
export class UploadNotes {
  readonly #folder: string;

  constructor(environment: Environment) {
    const state = environment['XDG_STATE_HOME'];
    const base = state === undefined || state === '' ? join(homedir(), '.local', 'state') : state;
    this.#folder = join(base, 'overmind', 'uploads');
  }

  async find(identity: UploadIdentity): Promise<string | undefined> {
    try {
      const id = (await readFile(this.#path(identity), 'utf8')).trim();
      return id === '' ? undefined : id;
    } catch {
      return undefined;
    }
  }

  /** A folder that cannot be written costs the memory and nothing else. */
  async keep(identity: UploadIdentity, uploadId: string): Promise<void> {
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      await writeFile(this.#path(identity), `${uploadId}\n`, { mode: 0o600 });
    } catch {
      // Without the note an interrupted upload begins again from the start.
    }
  }

  async forget(identity: UploadIdentity): Promise<void> {
    await rm(this.#path(identity), { force: true });
  }

  #path({ origin, projectId, fileName, sha256 }: UploadIdentity): string {
    const name = createHash('sha256')
      .update(JSON.stringify([origin, projectId, fileName, sha256]))
      .digest('hex');
    return join(this.#folder, name);
  }
}
