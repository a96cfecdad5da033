import type { ServerResponse } from 'node:http';
import type Koa from 'koa';
import { monotonicMs } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';

export interface AccessEntry {
  readonly requestId: string;
  readonly method: string;
  /** Without the query: queries may carry codes and tokens. */
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
  readonly clientIp: string;
}

export interface AccessLog {
  /** Whether an answer of this status leaves a line at the level in force. */
  takes(status: number): boolean;
  write(entry: AccessEntry): void;
}

/** Writes one line per finished request: server faults at error, refusals at info, the rest at debug. */
export function createAccessLog(logger: Logger): AccessLog {
  const levelOf = (status: number) => (status >= 500 ? 'error' : status >= 400 ? 'info' : 'debug');
  return {
    takes: (status) => logger.writes(levelOf(status)),
    write: (entry) => logger[levelOf(entry.status)]('request', { ...entry }),
  };
}

/** As nginx writes it: nobody was there any more when there could have been an answer. */
const CLIENT_LEFT = 499;

/** The status of a closed answer. One that never began has none of its own, only what Node would have begun with. */
export function statusOf(response: ServerResponse): number {
  return response.headersSent ? response.statusCode : CLIENT_LEFT;
}

export function accessLog(log: AccessLog, clientIp: (ctx: Koa.Context) => string): Koa.Middleware {
  return async (ctx, next) => {
    const startMs = monotonicMs();
    ctx.res.once('close', () => {
      log.write({
        requestId: String(ctx.state['requestId'] ?? ''),
        method: ctx.method,
        path: ctx.path,
        status: statusOf(ctx.res),
        durationMs: monotonicMs() - startMs,
        clientIp: clientIp(ctx),
      });
    });
    await next();
  };
}
