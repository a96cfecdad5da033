import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { loadSource, WORK_TREE } from '../../codegen/baseline/sources.ts';
import { callable, promised, whole } from '../../codegen/diff/compare/promise.ts';
import type { DiffReport, Finding } from '../../codegen/diff/finding.ts';
import type { LoadedSurface } from '../../codegen/diff/loaded.ts';
import type { JsonSchema, JsonValue } from '../../codegen/model/types.ts';
import { Repository } from './support/repository.ts';

const TRACES = 'tools/observability/query_traces.yaml';
const FAILURES = 'tools/observability/query_failures.yaml';
const DATASET = 'tools/datasets/query_dataset.yaml';

const EDITS: readonly ((repository: Repository) => void)[] = [
  (at) => at.edit(TRACES, 'maximum: 100, default: 20', 'maximum: 50, default: 20'),
  (at) => at.edit(TRACES, '[ok, error, "1", "2"]', '[ok, error, "1"]'),
  (at) => {
    at.edit(FAILURES, 'required: [capability]', 'required: [capability, window]');
    at.edit(
      FAILURES,
      'properties:\n',
      'properties:\n    window: { type: string, maxLength: 20, description: Which. }\n',
    );
  },
  (at) => at.edit('models/trace_row.yaml', 'enum: [live, complete]', 'enum: [live, complete, stuck]'),
  (at) => at.edit(DATASET, 'rows, n, truncated, resource_links]', 'rows, n, resource_links]'),
  (at) => at.write(DATASET, at.read(DATASET).replace(/^ {4}cell: .*\n/mu, '')),
  (at) => at.remove('tools/datasets/list_datasets.yaml'),
  (at) => at.edit(FAILURES, 'read_only: true', 'read_only: false'),
  (at) => at.edit('tools/jobs/get_job.yaml', '"overmind:read"', '"overmind:data:write"'),
  (at) => at.edit('resources/observability/trace.yaml', 'overmind://traces/', 'overmind://trace/'),
  (at) => at.edit('prompts/investigate_capability.yaml', 'max_length: 255', 'max_length: 100'),
  (at) => at.edit('jobs/dataset_run.yaml', 'idle: { class: succeeded', 'idle: { class: active'),
];

const RIGHT = [
  'in-enum-value-removed tool query_traces /input/properties/status',
  'in-maximum-lowered tool query_traces /input/properties/limit',
  'in-property-added-required tool query_failures /input/properties/window',
  'in-property-removed tool query_dataset /input/properties/cell',
  'hint-read-only-lost tool query_failures /behaviour/read_only',
  'job-terminal-set-changed job dataset_run /statuses/idle',
  'out-enum-value-added model trace_row /schema/properties/trace_status',
  'out-property-became-optional tool query_dataset /output/properties/truncated',
  'prompt-arg-narrowed prompt investigate-capability /arguments/capability/max_length',
  'scope-replaced tool get_job /behaviour/scopes',
  'template-literal-changed resource trace /uri_template',
  'tool-removed-without-deprecation tool list_datasets ',
].sort();

const breaking = ({ findings }: DiffReport): readonly Finding[] =>
  findings.filter(({ verdict }) => verdict === 'breaking');
const name = ({ rule, entity, path }: Finding): string => `${rule} ${entity} ${path}`;

describe('twelve breaking edits of the real contracts', function () {
  this.timeout(120_000);
  let repository: Repository;
  let sides: readonly [LoadedSurface, LoadedSurface];

  before(async () => {
    repository = new Repository();
    repository.git('checkout', '-q', '-b', 'change');
    for (const edit of EDITS) edit(repository);
    const where = { cwd: repository.folder, schemas: repository.path('') };
    sides = [await loadSource('main', where), await loadSource(WORK_TREE, where)];
    repository.commit('twelve edits');
  });

  after(() => repository.destroy());

  it('are refused with the twelve right findings', async () => {
    const { code, report } = await repository.diff('main..change');
    assert.equal(code, 1);
    assert.deepEqual(breaking(report).map(name).sort(), RIGHT);
    assert.equal(report.counts.unknown, 0);
    assert.equal(report.version.required, 'major');
  });

  it('are the same against a work tree, a folder and a snapshot', async () => {
    const named = breaking((await repository.diff('main')).report).map(({ fingerprint }) => fingerprint);
    assert.equal(named.length, RIGHT.length);
    repository.git('worktree', 'add', '-q', 'old', 'main');
    const folder = await repository.diff('--against', './old/schemas');
    assert.deepEqual(
      breaking(folder.report).map(({ fingerprint }) => fingerprint),
      named,
    );
    repository.git('worktree', 'remove', '--force', 'old');
    repository.git('checkout', '-q', 'main');
    assert.equal((await repository.run('release', '1.0.0')).code, 0);
    repository.git('checkout', '-q', 'change');
    const snapshot = await repository.diff();
    assert.deepEqual(
      breaking(snapshot.report).map(({ fingerprint }) => fingerprint),
      named,
    );
    const shallow = await repository.diff('--against', './schemas/releases/1.0.0.json');
    assert.deepEqual(
      breaking(shallow.report).map(({ fingerprint }) => fingerprint),
      named,
    );
    repository.git('clean', '-fdq');
  });

  it('are shown by witnesses that two validators disagree about', async () => {
    const { report } = await repository.diff('main..change');
    const schemas = breaking(report).filter(({ direction }) => direction !== undefined);
    assert.equal(schemas.length, 6);
    for (const finding of schemas) {
      assert.ok(finding.witness !== undefined, name(finding));
      const { value } = finding.witness;
      const [accepts, refuses] = validatorsOf(finding, sides);
      assert.ok(accepts(value), `${name(finding)} is accepted`);
      assert.ok(!refuses(value), `${name(finding)} is refused`);
    }
  });

  it('name every use of a shared shape in one finding', async () => {
    const { report } = await repository.diff('main..change');
    const shared = report.findings.find(({ entity }) => entity === 'model trace_row');
    assert.ok(shared?.uses.includes('tool query_traces output'), shared?.uses.join());
  });

  it('pass with approvals, which rewording keeps and a further change does not', async () => {
    const flags = ['--reason', 'The next major release needs it.', '--owner', 'platform team', '--name', 'twelve'];
    assert.equal((await repository.run('approve', 'main', '--all', ...flags)).code, 0);
    repository.commit('approve');
    const approved = await repository.diff('main..change');
    assert.equal(approved.code, 0);
    assert.equal(approved.report.approved, RIGHT.length);

    repository.edit(TRACES, 'description: The limit.', 'description: How many rows one page holds.');
    repository.edit(TRACES, 'Find traces, newest first', 'Look traces up, newest first');
    const reworded = await repository.diff('main');
    assert.equal(reworded.code, 0, breaking(reworded.report).map(name).join());

    repository.edit(TRACES, 'maximum: 50, default: 20', 'maximum: 40, default: 20');
    const further = await repository.diff('main');
    assert.equal(further.code, 1);
    const open = breaking(further.report).filter((one) => one.approved === undefined);
    assert.deepEqual(open.map(({ rule }) => rule).sort(), ['approval-unused', 'in-maximum-lowered']);
  });
});

type Check = (value: JsonValue) => boolean;

/** Compiles both ends of a body apart, with a validator of the test's own. */
function validatorsOf(
  { direction, entity, uses }: Finding,
  [old, now]: readonly [LoadedSurface, LoadedSurface],
): [Check, Check] {
  const [user = ''] = uses.length > 0 ? uses.filter((one) => one.startsWith('tool ')) : [entity];
  const tool = user.split(' ')[1] ?? '';
  const bodies = [old, now].map(({ surface }): JsonSchema => {
    const one = surface.tools[tool];
    assert.ok(one !== undefined, user);
    return whole(direction === 'in' ? one.input : (one.output ?? true), surface.definitions);
  });
  const [before = true, after = true] = bodies;
  return direction === 'in'
    ? [compile(callable(before)), compile(callable(after))]
    : [compile(after), compile(promised(before))];
}

function compile(schema: JsonSchema): Check {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  const validate = ajv.compile(schema);
  return (value) => validate(value);
}
