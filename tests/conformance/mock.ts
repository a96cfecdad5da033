import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkTree } from '../../codegen/cli/compile-tree.ts';
import { Mock } from '../../codegen/mock/mock.ts';
import { serve } from '../../codegen/mock/serve.ts';
import { openLane, ROOT, runToEnd, type Lane } from './lane.ts';

/**
 * The conformance suite against the mock of the compiler's fixture contracts. Most scenarios call tools of the suite's
 * own names, which no contract here has; those that ask for the protocol alone must pass, in both revisions.
 */
const PROTOCOL: Readonly<Record<string, readonly string[]>> = {
  '2026-07-28': [
    'caching',
    'dns-rebinding-protection',
    'http-header-validation',
    'prompts-list',
    'resources-list',
    'sep-2164-resource-not-found',
    'server-sse-multiple-streams',
    'tools-list',
  ],
  '2025-11-25': [
    'dns-rebinding-protection',
    'ping',
    'prompts-list',
    'resources-list',
    'server-initialize',
    'server-session-lifecycle',
    'server-sse-multiple-streams',
    'server-sse-polling',
    'tools-list',
  ],
};

const { parts } = await checkTree(join(ROOT, 'tests/codegen/fixtures/base'));
if (parts === undefined) throw new Error('the fixture contracts do not compile');
const mock = new Mock(parts.canonical, parts.projection, {
  seed: 'conformance',
  rows: 45,
  jobSeconds: 6,
  grant: 'project',
  outputSchema: 'compact',
  now: () => new Date(),
});
const lane = await openLane();
const serving = await serve(mock, { host: '127.0.0.1', port: 0, latencyMs: 0 });
let failed = 0;
let passed = 0;
try {
  for (const [revision, wanted] of Object.entries(PROTOCOL)) {
    const results = await scenarios(lane, serving.url, revision);
    for (const name of wanted) {
      const failures = results.get(name) ?? ['did not run'];
      if (failures.length === 0) passed += 1;
      else failed += 1;
      process.stdout.write(`${failures.length === 0 ? 'ok  ' : 'FAIL'} ${revision} ${name} ${failures.join('; ')}\n`);
    }
  }
} finally {
  await serving.close();
}
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;

/** Failures of each scenario by its name; the checks a scenario leaves are what counts. */
async function scenarios({ node, conformance }: Lane, url: string, revision: string): Promise<Map<string, string[]>> {
  const folder = await mkdtemp(join(tmpdir(), 'mcp-conformance-mock-'));
  try {
    const args = [conformance, 'server', '--url', url, '--requirements', revision, '-o', folder, '--timeout', '8000'];
    await runToEnd(node, args);
    const results = new Map<string, string[]>();
    for (const entry of await readdir(folder)) {
      const name = /^server-(.+?)-\d{4}-\d\d-\d\dT/.exec(entry)?.[1];
      if (name === undefined) continue;
      // because the suite writes its checks in this shape
      const checks = JSON.parse(await readFile(join(folder, entry, 'checks.json'), 'utf8')) as {
        readonly id: string;
        readonly status: string;
      }[];
      results.set(
        name,
        checks.filter(({ status }) => status === 'FAILURE').map(({ id }) => id),
      );
    }
    return results;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
