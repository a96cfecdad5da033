import { execFileSync, execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import autocannon from 'autocannon';

export interface Request {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Measured {
  readonly requests: number;
  readonly perSecond: number;
  readonly failed: number;
  readonly p50Us: number;
  readonly p99Us: number;
}

const here = new URL('.', import.meta.url).pathname;
const has = (command: string): boolean => {
  try {
    execFileSync('which', [command], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

/** wrk costs the machine least; it is installed where that is allowed. Autocannon stands in, and the report says so. */
export function chooseGenerator(): 'wrk' | 'autocannon' {
  if (has('wrk')) return 'wrk';
  if (process.getuid?.() === 0 && has('apt-get'))
    try {
      execFileSync('apt-get', ['install', '-y', '--no-install-recommends', 'wrk'], { stdio: 'ignore' });
    } catch {
      return 'autocannon';
    }
  return has('wrk') ? 'wrk' : 'autocannon';
}

async function withWrk(request: Request, connections: number, seconds: number): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  writeFileSync(join(folder, 'body'), request.body);
  writeFileSync(
    join(folder, 'headers'),
    Object.entries(request.headers)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n'),
  );
  const { stdout } = await promisify(execFile)(
    'taskset',
    [
      '-c',
      '0',
      'wrk',
      '-t1',
      `-c${String(connections)}`,
      `-d${String(seconds)}s`,
      '--latency',
      '-s',
      join(here, 'load.lua'),
      request.url,
    ],
    {
      env: { ...process.env, LOAD_BODY: join(folder, 'body'), LOAD_HEADERS: join(folder, 'headers') },
    },
  );
  const line = /RESULT (.*)/.exec(stdout)?.[1];
  if (!line) throw new Error(`wrk said nothing: ${stdout}`);
  const { requests, us, failed, p50, p99 } = JSON.parse(line) as Record<
    'requests' | 'us' | 'failed' | 'p50' | 'p99',
    number
  >;
  return { requests, perSecond: requests / (us / 1e6), failed, p50Us: p50, p99Us: p99 };
}

async function withAutocannon(request: Request, connections: number, seconds: number): Promise<Measured> {
  const result = await autocannon({ ...request, method: 'POST', connections, duration: seconds });
  return {
    requests: result.requests.total,
    perSecond: result.requests.total / result.duration,
    failed: result.errors + result.non2xx,
    p50Us: result.latency.p50 * 1000,
    p99Us: result.latency.p99 * 1000,
  };
}

/** Loads one server with one request for some seconds. */
export const load = (
  generator: 'wrk' | 'autocannon',
  request: Request,
  connections: number,
  seconds: number,
): Promise<Measured> =>
  generator === 'wrk' ? withWrk(request, connections, seconds) : withAutocannon(request, connections, seconds);
