import assert from 'node:assert/strict';
import { request } from 'node:http';
import { createAccessLog } from '../../src/http/access-log.ts';
import { createLogger } from '../../src/kernel/logger.ts';
import { eventually } from '../support/eventually.ts';
import { message, type Era } from './support/rpc.ts';
import { openRoom, type RunningRoom } from './support/stock-room.ts';

const ERAS: readonly Era[] = ['legacy', 'modern'];

describe('A client that leaves during a call', () => {
  let open: RunningRoom;
  beforeEach(async () => {
    open = await openRoom();
  });
  afterEach(() => open.close());

  it('leaves a cancelled call and no fault, but a fault on the way stays a fault', async () => {
    for (const [breaks, outcome, line] of [
      [false, 'cancelled', /"level":"info","message":"tool cancelled"/],
      [true, 'internal_error', /"level":"error","message":"tool failed".*broken while stopping/],
    ] as const) {
      for (const era of ERAS) {
        const { headers, body } = message('tools/call', { name: 'linger', arguments: { breaks } }, { era });
        const call = request({ port: open.port, path: '/api/mcp', method: 'POST', headers });
        call.on('error', () => undefined);
        call.end(body);
        await eventually(() => assert.equal(open.room.waiting, 1));
        call.destroy();
        const entry = await eventually(() => open.room.audit.pop() ?? assert.fail('nothing is recorded'));
        assert.deepEqual([entry.name, entry.outcome], ['linger', outcome]);
        const logged = open.room.log.splice(0).filter((text) => /tool (cancelled|failed)/.test(text));
        assert.deepEqual([logged.length, line.test(logged[0] ?? '')], [1, true], logged.join(''));
      }
    }
  });

  it('is told apart from an answer in the request log', async () => {
    const lines: string[] = [];
    const logger = createLogger({ level: 'debug', write: (line) => void lines.push(line) });
    const logging = await openRoom({ accessLog: createAccessLog(logger) });
    try {
      const { headers, body } = message('tools/call', { name: 'linger', arguments: {} });
      const call = request({ port: logging.port, path: '/api/mcp', method: 'POST', headers });
      call.on('error', () => undefined);
      call.end(body);
      await eventually(() => assert.equal(logging.room.waiting, 1));
      call.destroy();
      const line = await eventually(() => lines.pop() ?? assert.fail('nothing is written'));
      assert.match(line, /"level":"info","message":"request".*"status":499/);
    } finally {
      await logging.close();
    }
  });
});
