import assert from 'node:assert/strict';
import { AppError } from '../../src/kernel/errors.ts';
import { createLogger, type LogFields, type LoggerOptions } from '../../src/kernel/logger.ts';
import { FakeClock } from '../support/fakes/clock.ts';

function capture(options: LoggerOptions = {}) {
  const lines: string[] = [];
  const logger = createLogger({ clock: new FakeClock(), write: (line) => lines.push(line), ...options });
  // because the logger writes one JSON object per line
  return { logger, lines, read: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

function logged(fields: LogFields): Record<string, unknown> {
  const { logger, read } = capture();
  logger.info('message', fields);
  const [{ time: _time, level: _level, message: _message, ...rest } = {}] = read();
  return rest;
}

describe('createLogger', () => {
  it('writes one JSON line with time, level, message and fields', () => {
    const { logger, lines } = capture();
    logger.warn('two\nlines', { count: 3, at: new Date(0), missing: undefined, big: 10n });
    assert.deepEqual(lines, [
      '{"time":"2026-03-01T12:00:00.000Z","level":"warn","message":"two\\nlines","count":3,"at":"1970-01-01T00:00:00.000Z","big":"10"}\n',
    ]);
  });

  it('keeps lines below its level to itself', () => {
    const { logger, read } = capture({ level: 'warn' });
    for (const level of ['debug', 'info', 'warn', 'error'] as const) logger[level](level);
    assert.deepEqual(
      read().map((line) => line['level']),
      ['warn', 'error'],
    );
  });

  it('adds the fields of a child to each of its lines', () => {
    const { logger, read } = capture({ fields: { service: 'a' } });
    logger.child({ request: 'r1' }).child({ tool: 't' }).info('done', { request: 'r2' });
    assert.deepEqual(read()[0], {
      time: '2026-03-01T12:00:00.000Z',
      level: 'info',
      message: 'done',
      service: 'a',
      request: 'r2',
      tool: 't',
    });
  });

  it('hides secrets by the name of their key, at any depth, and nothing that only sounds like one', () => {
    assert.deepEqual(
      logged({
        Authorization: 'Bearer x',
        headers: { 'x-api-key': 'x', cookie: 'x', accept: 'json' },
        list: [{ refreshToken: 'x', total_tokens: 5 }],
        token_count: 7,
        DATABASE_URL: 'postgres://u:p@h/d',
      }),
      {
        Authorization: '[hidden]',
        headers: { 'x-api-key': '[hidden]', cookie: '[hidden]', accept: 'json' },
        list: [{ refreshToken: '[hidden]', total_tokens: 5 }],
        token_count: 7,
        DATABASE_URL: '[hidden]',
      },
    );
  });

  it('takes secrets out of running text, of errors and their causes too', () => {
    const secret = 'sk_live_51H8abcdEFGHijkl';
    const cause = new Error(`the provider says: authorization: Bearer ${secret}`);
    const error = new Error(`401 key ${secret} rejected`, { cause });
    const fields = logged({
      error,
      detail: `key ${secret}`,
      long: `${'z'.repeat(3_995)} ${secret}`,
      id: 'a-plain-id-of-ours',
    });
    assert.doesNotMatch(JSON.stringify(fields), /51H8|sk_l/);
    assert.match(JSON.stringify(fields['error']), /401 key \[redacted\] rejected/);
    assert.equal(fields['id'], 'a-plain-id-of-ours');
  });

  it('describes an error with its causes and without what else hangs on it', () => {
    const cause = Object.assign(new Error('duplicate key'), { code: '23505', detail: 'Key (email)=(a@b.c) exists' });
    const { error } = logged({
      error: new AppError('conflict', 'The name is taken.', { cause, fields: { secret: 1 } }),
    });
    const text = JSON.stringify(error);
    assert.match(text, /"code":"conflict"/);
    assert.match(text, /"code":"23505"/);
    assert.doesNotMatch(text, /a@b\.c|secret/);
  });

  it('survives loops, depth and size', () => {
    const loop: Record<string, unknown> = {};
    loop['self'] = loop;
    const described = logged({ loop, long: 'x'.repeat(100_000), wide: Array.from({ length: 10_000 }, (_, i) => i) });
    assert.ok(JSON.stringify(described).length < 10_000);
  });
});
