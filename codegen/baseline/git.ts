/** Reads contract trees of earlier commits straight from the object store: no checkout, no build, no network. */
import { spawnSync } from 'node:child_process';

/** git is missing, this is no repository, or it has no such commit. */
export class GitFault extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'GitFault';
  }
}

const MAX_OUTPUT = 256 * 1024 * 1024;

function git(cwd: string, args: readonly string[], input?: string): Buffer {
  const done = spawnSync('git', args, {
    cwd,
    maxBuffer: MAX_OUTPUT,
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(input === undefined ? {} : { input }),
  });
  if (done.error !== undefined) throw new GitFault(`git cannot be run: ${done.error.message}`);
  if (done.status !== 0) throw new GitFault(done.stderr.toString('utf8').trim());
  return done.stdout;
}

/** The commit a name stands for, or undefined when it is none. */
export function findCommit(cwd: string, ref: string): string | undefined {
  try {
    return git(cwd, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`])
      .toString('utf8')
      .trim();
  } catch (error) {
    if (error instanceof GitFault) return undefined;
    throw error;
  }
}

export function mergeBase(cwd: string, a: string, b: string): string {
  return git(cwd, ['merge-base', a, b]).toString('utf8').trim();
}

/** Files of a folder as a commit holds them, by path relative to that folder. */
export function filesAt(cwd: string, commit: string, folder: string): Map<string, Uint8Array> {
  const listing = git(cwd, ['ls-tree', '-r', '-z', commit, '--', `${folder}/`]).toString('utf8');
  const entries = listing
    .split('\0')
    .map((line) => /^(\d+) blob ([0-9a-f]+)\t(.+)$/su.exec(line))
    // A symbolic link is a blob as well, and its text is no contract.
    .filter((match): match is RegExpExecArray => match !== null && match[1] !== '120000');
  const blobs = readBlobs(
    cwd,
    entries.map((entry) => entry[2] ?? ''),
  );
  return new Map(entries.map((entry, at) => [(entry[3] ?? '').slice(folder.length + 1), blobs[at] ?? Buffer.alloc(0)]));
}

/** One process for all files. */
function readBlobs(cwd: string, ids: readonly string[]): Buffer[] {
  if (ids.length === 0) return [];
  const output = git(cwd, ['cat-file', '--batch'], `${ids.join('\n')}\n`);
  const blobs: Buffer[] = [];
  let at = 0;
  while (at < output.length) {
    const end = output.indexOf(10, at);
    const size = Number(output.toString('utf8', at, end).split(' ')[2]);
    if (!Number.isSafeInteger(size)) throw new GitFault('git cat-file answered in a form that is not known.');
    blobs.push(output.subarray(end + 1, end + 1 + size));
    at = end + 1 + size + 1;
  }
  return blobs;
}
