// Runs the floor rules once and fails on a breach, or when the cruise saw fewer modules than the folders hold:
// a checker that sees nothing agrees with everything.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';

const roots = ['src', 'codegen', 'generated'];
const run = spawnSync(
  'npx',
  ['depcruise', '--config', 'tests/architecture/floors.cjs', '--output-type', 'json', ...roots],
  { encoding: 'utf8', maxBuffer: 1 << 28 },
);
if (!run.stdout) {
  process.stderr.write(run.stderr);
  process.exit(3);
}
const { modules, summary } = JSON.parse(run.stdout);
for (const { rule, from, to } of summary.violations) process.stderr.write(`${rule.name}: ${from} imports ${to}\n`);

const held = roots.flatMap((root) =>
  readdirSync(root, { recursive: true }).filter((file) => String(file).endsWith('.ts')),
);
const seen = modules.filter(({ source }) => roots.some((root) => source.startsWith(`${root}/`))).length;
if (seen < held.length) process.stderr.write(`floors: saw ${seen} of ${held.length} modules\n`);
if (summary.violations.length > 0 || seen < held.length) process.exit(1);
process.stdout.write(`floors: ${seen} modules keep their place\n`);
