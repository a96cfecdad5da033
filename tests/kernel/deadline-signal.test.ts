import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { deadlineSignal } from '../../src/kernel/deadline-signal.ts';
import { eventually } from '../support/eventually.ts';

describe('deadlineSignal', () => {
  it('aborts when the time is up, although nobody holds it and garbage is collected', async () => {
    setFlagsFromString('--expose-gc');
    // because the flag makes this global function
    const collect = runInNewContext('gc') as () => void;
    let reason: unknown;
    let isAborted = false;
    deadlineSignal(100, new AbortController().signal).addEventListener('abort', (event) => {
      isAborted = true;
      // because a signal is what dispatches this event
      reason = (event.target as AbortSignal).reason;
    });
    await eventually(() => {
      collect();
      assert.ok(isAborted);
    });
    assert.equal((reason as Error).name, 'TimeoutError');
  });

  it('aborts with the first of its signals, and for its reason', () => {
    const [first, second] = [new AbortController(), new AbortController()];
    const signal = deadlineSignal(60_000, first.signal, second.signal);
    assert.equal(signal.aborted, false);
    const why = new Error('enough');
    second.abort(why);
    assert.deepEqual([signal.aborted, signal.reason], [true, why]);
    assert.ok(deadlineSignal(60_000, second.signal).aborted);
  });
});
