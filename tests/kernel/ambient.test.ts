import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { Ambient } from '../../src/kernel/ambient.ts';

describe('an ambient value', () => {
  it('is found by all that was started inside, the innermost one first, and by nothing outside', async () => {
    const ambient = new Ambient<string>();
    const seen: (string | undefined)[] = [];
    const look = async (): Promise<void> => {
      await turn();
      seen.push(ambient.get());
    };
    await ambient.run('outer', async () => {
      await Promise.all([look(), ambient.run('inner', look)]);
      await look();
    });
    await look();
    assert.deepEqual(seen, ['outer', 'inner', 'outer', undefined]);
  });

  it('stays while others leave, whether they succeed, fail or were never long inside', async () => {
    const ambient = new Ambient<string>();
    await ambient.run('long', async () => {
      await turn();
      await ambient.run('quick', turn);
      await assert.rejects(
        ambient.run('failing', async () => Promise.reject(new Error('failed'))),
        /failed/,
      );
      assert.equal(
        ambient.run('at once', () => ambient.get()),
        'at once',
      );
      assert.throws(() =>
        ambient.run('throwing', () => {
          throw new Error('thrown');
        }),
      );
      await turn();
      assert.equal(ambient.get(), 'long');
    });
  });

  it('is forgotten by what is left behind, once the last one inside has left', async () => {
    const ambient = new Ambient<string>();
    let left: Promise<string | undefined> | undefined;
    await ambient.run('gone', async () => {
      left = turn().then(() => ambient.get());
    });
    assert.equal(await left, undefined);
  });
});
