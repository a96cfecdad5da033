import assert from 'node:assert/strict';
import { callTool, rpc, type Answer } from './support/rpc.ts';
import { openRoom, type RunningRoom } from './support/stock-room.ts';

const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };

describe('MCP tasks', () => {
  let open: RunningRoom;
  beforeEach(async () => {
    open = await openRoom();
  });
  afterEach(() => open.close());

  const start = async (key = 'key-project-a'): Promise<Record<string, unknown>> => {
    const args = key === 'key-account' ? { source: 's', project_id: 'project-c' } : { source: 's' };
    const { json } = await callTool(open.port, 'start_import', args, { era: 'modern', capabilities: TASKS, key });
    return json.result;
  };
  const task = (method: string, taskId: unknown, options: Parameters<typeof rpc>[3] = {}): Promise<Answer> =>
    rpc(open.port, method, { taskId }, { era: 'modern', capabilities: TASKS, ...options });
  const end = (status: string, more: object = {}): void => {
    const [id, job] = [...open.room.jobs].at(-1) ?? [];
    assert.ok(id !== undefined && job !== undefined);
    open.room.jobs.set(id, { ...job, status, output: { rows: 3 }, ...more });
  };

  it('gives the receipt to clients that do not know tasks', async () => {
    for (const era of ['legacy', 'modern'] as const) {
      const { json } = await callTool(open.port, 'start_import', { source: 's' }, { era });
      assert.match(json.result.structuredContent.job.id, /^job-/);
    }
  });

  it('serves the same job as a task to clients that do', async () => {
    const made = await start();
    assert.equal(made['resultType'], 'task');
    assert.equal(made['status'], 'working');
    assert.deepEqual([made['ttlMs'], made['pollIntervalMs']], [86_400_000, 1_000]);
    assert.equal((await task('tasks/get', made['taskId'])).json.result.status, 'working');
    end('done');
    const { json } = await task('tasks/get', made['taskId']);
    assert.equal(json.result.status, 'completed');
    assert.deepEqual(json.result.result.structuredContent, { rows: 3 });
    assert.equal(json.result.result.content[0].text, '{"rows":3}');
  });

  it('tells why a failed job failed as the result the tool would have given', async () => {
    const made = await start();
    end('broken', { error: { code: 'item_invalid', message: 'The source is empty.' } });
    const { json } = await task('tasks/get', made['taskId']);
    assert.equal(json.result.status, 'completed');
    assert.equal(json.result.result.isError, true);
    assert.equal(JSON.parse(json.result.result.content[0].text).error.code, 'item_invalid');
  });

  it('shows a task to its own project only, in the same words as a made-up one', async () => {
    const made = await start('key-account');
    assert.equal((await task('tasks/get', made['taskId'], { key: 'key-account' })).json.result.status, 'working');
    const foreign = await task('tasks/get', made['taskId'], { key: 'key-project-b' });
    for (const invented of [
      'nope',
      'j1.e30',
      `j1.${Buffer.from('["import_run","job-99",null]').toString('base64url')}`,
    ]) {
      assert.deepEqual((await task('tasks/get', invented)).json, foreign.json);
    }
    assert.equal(foreign.json.error.code, -32602);
  });

  it('acknowledges a wish to cancel and lets the job run', async () => {
    const made = await start();
    assert.equal((await task('tasks/cancel', made['taskId'])).json.result.resultType, 'complete');
    assert.equal((await task('tasks/get', made['taskId'])).json.result.status, 'working');
  });

  it('refuses task methods to clients that do not declare the extension', async () => {
    const answer = await rpc(open.port, 'tasks/get', { taskId: 'x' }, { era: 'modern' });
    assert.equal(answer.status, 400);
    assert.equal(answer.json.error.code, -32021);
    const { json } = await rpc(open.port, 'server/discover', {}, { era: 'modern' });
    assert.ok(json.result.capabilities.extensions['io.modelcontextprotocol/tasks']);
  });
});
