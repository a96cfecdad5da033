import type Koa from 'koa';
import { AppError } from '../kernel/errors.ts';
import type { Logger } from '../kernel/logger.ts';
import { drain } from './body.ts';
import { isLeaving } from './leaving.ts';
import { Refusal } from './refusal.ts';

export interface ErrorBoundaryOptions {
  readonly logger: Logger;
  /** Status and retryability of an error code, from the contract's vocabulary. Undefined for a code it does not know. */
  readonly describe: (code: string) => { readonly http: number; readonly retryable: boolean } | undefined;
}

const INTERNAL_MESSAGE = 'The server failed in a way it did not foresee. Report the request id to the operator.';

/**
 * The one place where errors outside MCP become answers: `application/problem+json` with the stable code. Anything
 * that is not an `AppError` is a bug: it is logged whole and told to the caller only by request id.
 */
export function errorBoundary(options: ErrorBoundaryOptions): Koa.Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const requestId = String(ctx.state['requestId'] ?? '');
      if (isLeaving(ctx.res, error)) {
        options.logger.info('request cancelled', { requestId, path: ctx.path });
        return;
      }
      const problem = describeProblem(error, requestId, options);
      if (problem.status >= 500) options.logger.error('request failed', { requestId, path: ctx.path, error });
      else if (problem.body.retryable)
        options.logger.warn('request refused', { requestId, path: ctx.path, code: problem.body.code });
      else options.logger.info('request refused', { requestId, path: ctx.path, code: problem.body.code });
      if (ctx.headerSent) {
        ctx.res.destroy();
        return;
      }
      ctx.status = problem.status;
      ctx.set(problem.headers);
      ctx.type = 'application/problem+json';
      ctx.body = JSON.stringify(problem.body);
      drain(ctx.req);
    }
  };
}

interface Problem {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: {
    readonly type: 'about:blank';
    readonly status: number;
    readonly detail: string;
    readonly code: string;
    readonly retryable: boolean;
    readonly fields: Readonly<Record<string, unknown>>;
    readonly request_id: string;
  };
}

function describeProblem(error: unknown, requestId: string, options: ErrorBoundaryOptions): Problem {
  const known = error instanceof AppError ? options.describe(error.code) : undefined;
  const status = error instanceof Refusal ? error.status : (known?.http ?? httpErrorStatus(error) ?? 500);
  const said = error instanceof AppError && (known !== undefined || error instanceof Refusal);
  return {
    status,
    headers: error instanceof Refusal ? { ...error.headers } : {},
    body: {
      type: 'about:blank',
      status,
      detail: said ? error.message : status < 500 ? 'The request cannot be answered.' : INTERNAL_MESSAGE,
      code: said ? error.code : status < 500 ? 'invalid_request' : 'internal_error',
      retryable: said ? (known?.retryable ?? status === 429) : status >= 500,
      fields: said ? error.fields : {},
      request_id: requestId,
    },
  };
}

/** Koa and its middlewares throw errors that carry a client status, for instance on a malformed URL. */
function httpErrorStatus(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number') return undefined;
  return error.status >= 400 && error.status < 500 ? error.status : undefined;
}
