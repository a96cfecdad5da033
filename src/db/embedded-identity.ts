import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, statSync } from 'node:fs';

/** How a PostgreSQL program is started so that it does not run as root, which it refuses. */
export interface Identity {
  command(program: string, parameters: readonly string[]): { file: string; parameters: readonly string[] };
  readonly spawn: { readonly uid?: number; readonly gid?: number };
  /** Makes a folder belong to whoever the server runs as. */
  own(folder: string): void;
}

const NOBODY = 65_534;

/**
 * An ordinary user runs the server itself. Root prefers a user namespace without a mapping: any folder works and no
 * owner changes. Where the kernel forbids that, as in most containers, the server runs as `postgres` or `nobody`.
 * Existing data keeps the owner it has.
 */
export function chooseIdentity(dataFolder: string): Identity {
  if (process.getuid?.() !== 0) return plain({});
  if (existsSync(dataFolder)) {
    const { uid, gid } = statSync(dataFolder);
    if (uid !== 0) return plain({ uid, gid });
  }
  if (spawnSync('unshare', ['-U', 'true'], { stdio: 'ignore' }).status === 0) {
    return {
      command: (program, parameters) => ({ file: 'unshare', parameters: ['-U', program, ...parameters] }),
      spawn: {},
      own: () => undefined,
    };
  }
  return plain({ uid: lookUp('-u'), gid: lookUp('-g') });
}

function plain(spawn: { uid?: number; gid?: number }): Identity {
  return {
    command: (program, parameters) => ({ file: program, parameters }),
    spawn,
    own: (folder) => {
      if (spawn.uid !== undefined && spawn.gid !== undefined) chownSync(folder, spawn.uid, spawn.gid);
    },
  };
}

function lookUp(flag: '-u' | '-g'): number {
  for (const user of ['postgres', 'nobody']) {
    const found = spawnSync('id', [flag, user], { encoding: 'utf8' });
    if (found.status === 0) return Number(found.stdout);
  }
  return NOBODY;
}
