import type Koa from 'koa';
import { Refusal } from './refusal.ts';

export function methodNotAllowed(allowed: readonly string[]): Refusal {
  const list = allowed.join(', ');
  return new Refusal(405, 'invalid_request', `Method not allowed. Use ${list}.`, { headers: { allow: list } });
}

/** Refuses other methods with 405 and the list of those that work. */
export function methodGuard(allowed: readonly string[]): Koa.Middleware {
  return (ctx, next) => {
    if (!allowed.includes(ctx.method)) throw methodNotAllowed(allowed);
    return next();
  };
}
