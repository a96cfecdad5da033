import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkTree } from '../../codegen/cli/compile-tree.ts';
import { Mock } from '../../codegen/mock/mock.ts';
import { serve } from '../../codegen/mock/serve.ts';
import { openLane, ROOT, runToEnd, type Lane } from './lane.ts';
import { EXCUSED_CHECKS, EXCUSED_SCENARIOS, whyNot } from './mock-scenarios.ts';

/**
 * The whole conformance suite, in both revisions, against the mock of contracts that have the suite's names. A scenario
 * passes, or `mock-scenarios.ts` says why contracts cannot offer what it asks for; each of both is printed.
 */
const REVISIONS = ['2026-07-28', '2025-11-25'];

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

const lane = await openLane();
const serving = await serve(await fixtureMock(), { host: '127.0.0.1', port: 0, latencyMs: 0 });
const counts = { passed: 0, failed: 0, excused: 0 };
const met = new Set<string>();
try {
  for (const revision of REVISIONS) {
    const results = await runAll(lane, serving.url, revision);
    if (results.size < 30) tell('failed', revision, 'the suite', `left ${results.size} results`);
    for (const [name, checks] of results) {
      met.add(name).add(`${revision} ${name}`);
      judge(revision, name, checks);
    }
  }
} finally {
  await serving.close();
}
for (const name of EXCUSED_SCENARIOS)
  if (!met.has(name)) tell('failed', 'any', name, 'is excused and in neither revision: take it off the list');
process.stdout.write(`${counts.excused} not applicable, each with its reason above\n`);
process.stdout.write(`${counts.passed} passed, ${counts.failed} failed\n`);
process.exitCode = counts.failed === 0 ? 0 : 1;

async function fixtureMock(): Promise<Mock> {
  const { parts } = await checkTree(join(ROOT, 'tests/conformance/contracts'));
  if (parts === undefined) throw new Error('the contracts of the suite do not compile');
  const { canonical, projection } = parts;
  // Contracts write prompt names with hyphens; the suite asks for them with underscores.
  const prompts = canonical.model.prompts.map((prompt) => ({ ...prompt, name: prompt.name.replaceAll('-', '_') }));
  return new Mock({ ...canonical, model: { ...canonical.model, prompts } }, projection, {
    seed: 'conformance',
    rows: 45,
    jobSeconds: 6,
    grant: 'project',
    outputSchema: 'compact',
    now: () => new Date(),
  });
}

function judge(revision: string, name: string, checks: readonly Check[]): void {
  const reason = whyNot(revision, name);
  const failures = checks.filter(({ id, status }) => status === 'FAILURE' && EXCUSED_CHECKS[id] === undefined);
  if (reason !== undefined) {
    const passes = checks.length > 0 && checks.every(({ status }) => status === 'SUCCESS');
    if (passes) tell('failed', revision, name, 'passes and is excused: take it off the list');
    else tell('excused', revision, name, reason);
    return;
  }
  const excused = checks.flatMap(({ id }) =>
    EXCUSED_CHECKS[id] === undefined ? [] : [`${id}: ${EXCUSED_CHECKS[id]}`],
  );
  const fine = failures.length === 0 && checks.some(({ status }) => status === 'SUCCESS');
  const wrong = failures.map(({ id, errorMessage = '' }) => `${id} ${errorMessage}`).join('; ') || 'no check succeeded';
  tell(fine ? 'passed' : 'failed', revision, name, fine ? excused.map((one) => `without ${one}`).join('; ') : wrong);
}

function tell(outcome: keyof typeof counts, revision: string, name: string, note: string): void {
  counts[outcome] += 1;
  const mark = { passed: 'ok  ', failed: 'FAIL', excused: 'n/a ' }[outcome];
  process.stdout.write(`${mark} ${revision} ${name}${note === '' ? '' : `: ${note}`}\n`);
}

/** Runs all that a revision requires or reports, and reads the checks each scenario left. */
async function runAll({ node, conformance }: Lane, url: string, revision: string): Promise<Map<string, Check[]>> {
  const folder = await mkdtemp(join(tmpdir(), 'mcp-conformance-mock-'));
  try {
    const args = [conformance, 'server', '--url', url, '--requirements', revision, '-o', folder, '--timeout', '8000'];
    await runToEnd(node, args);
    const results = new Map<string, Check[]>();
    for (const entry of (await readdir(folder)).sort()) {
      const name = /^server-(.+?)-\d{4}-\d\d-\d\dT/.exec(entry)?.[1];
      if (name === undefined) continue;
      // A scenario that broke off leaves a folder without checks.
      const text = await readFile(join(folder, entry, 'checks.json'), 'utf8').catch(() => '[]');
      // because the suite writes its checks in this shape
      results.set(name, JSON.parse(text) as Check[]);
    }
    return results;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
