// Runs the suite as a few mocha processes, two at a time, and closes with one line for all of them.
// `node tests/support/run-suite.mjs [all|store]`; `store` leaves out what opens no store a server could be given.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const AT_ONCE = 2;
const ELSEWHERE = ['e2e', 'workers', 'db', 'migrations', 'app', 'cli', 'oauth', 'bench'];
const COMPILER = ['codegen', 'gate', 'kernel', 'runtime'];
/** Of the compiler's tests those that ask a real server. */
const ASKING = ['tests/codegen/mock/mock-and-server.test.ts', 'tests/gate/any-server/verify.test.ts'];
const ENGINE = ['tests/db/embedded.test.ts', 'tests/providers/dataset-engine.test.ts'];

const within = (folders) => folders.map((folder) => `tests/${folder}/**/*.test.ts`);
const ignoring = (files) => files.flatMap((file) => ['--ignore', file]);

const SURFACES = [
  `tests/!(${[...ELSEWHERE, ...COMPILER].join('|')})/**/*.test.ts`,
  ...ASKING,
  'generated/tests/**/*.test.ts',
];
// The longest first, so that none is left to run alone.
const SUITES = {
  all: {
    surfaces: SURFACES,
    processes: within(ELSEWHERE),
    compiler: [...within(COMPILER), ...ignoring(ASKING)],
  },
  store: {
    surfaces: [...SURFACES, ...ignoring(ENGINE)],
    processes: [...within(ELSEWHERE.filter((folder) => folder !== 'bench')), ...ignoring(ENGINE)],
  },
};

/** Runs one group and gives its exit code and counts; its lines carry its name. */
async function run(name, args) {
  const child = spawn(process.execPath, ['node_modules/mocha/bin/mocha.js', ...args], {
    stdio: ['inherit', 'pipe', 'inherit'],
  });
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for await (const line of createInterface({ input: child.stdout })) {
    const closing = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/.exec(line);
    if (closing === null) process.stdout.write(`${name.padEnd(9)} ${line}\n`);
    else Object.assign(counts, { passed: +closing[1], failed: +closing[2], skipped: +(closing[3] ?? 0) });
  }
  if (child.exitCode === null && child.signalCode === null) await new Promise((done) => child.once('close', done));
  const ended = child.exitCode === 0;
  // A process that died, or failed outside of a test, is a failure that no count shows.
  if (!ended && counts.failed === 0) counts.failed = 1;
  process.stdout.write(`${name} ended: ${counts.passed} passed, ${counts.failed} failed\n`);
  return counts;
}

const [which = 'all'] = process.argv.slice(2);
const suite = SUITES[which];
if (suite === undefined) {
  process.stderr.write(`There is no suite ${which}; name one of ${Object.keys(SUITES).join(', ')}.\n`);
  process.exit(2);
}
const waiting = Object.entries(suite);
const results = [];
const work = async () => {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) results.push(await run(...next));
};
await Promise.all(Array.from({ length: AT_ONCE }, work));
const sum = (count) => results.reduce((total, result) => total + result[count], 0);
const skipped = sum('skipped');
process.stdout.write(`${sum('passed')} passed, ${sum('failed')} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`);
process.exitCode = sum('failed') > 0 ? 1 : 0;
