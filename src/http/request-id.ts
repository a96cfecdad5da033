import type Koa from 'koa';
import { newId } from '../kernel/ids.ts';

const ACCEPTED = /^[A-Za-z0-9][A-Za-z0-9._-]{7,63}$/;

export type RequestIds = (offered: string | string[] | undefined) => string;

/**
 * Takes over an id that a proxy set, when it is harmless in a header and a log line; makes one otherwise. Ids are
 * a random stem per process and a counter: unique like random ones and nearly free.
 */
export function createRequestIds(stem: string = newId().slice(-12)): RequestIds {
  let count = 0;
  return (offered) => {
    if (typeof offered === 'string' && ACCEPTED.test(offered)) return offered;
    count += 1;
    return `${stem}-${count.toString(36).padStart(6, '0')}`;
  };
}

/** Sets `ctx.state.requestId` and the answer's `X-Request-Id`. */
export function requestId(ids: RequestIds): Koa.Middleware {
  return (ctx, next) => {
    const id = ids(ctx.req.headers['x-request-id']);
    ctx.state['requestId'] = id;
    ctx.set('X-Request-Id', id);
    return next();
  };
}
