import type Koa from 'koa';
import type { OtlpCodec, RpcStatus } from '../domain/observability/index.ts';
import { drain } from '../http/body.ts';
import { Refusal } from '../http/refusal.ts';
import { AppError } from '../kernel/errors.ts';
import type { IngestLoad } from './otlp-load.ts';

export interface OtlpSurfaceParts {
  readonly path: string;
  readonly codecs: readonly OtlpCodec[];
  readonly load: IngestLoad;
  /** HTTP status of an error code, from the contract's vocabulary. */
  readonly describe: (code: string) => { readonly http: number } | undefined;
}

/** `google.rpc.Code` by HTTP status. */
const RPC_CODES: ReadonlyMap<number, number> = new Map([
  [400, 3],
  [401, 16],
  [403, 7],
  [404, 5],
  [405, 12],
  [408, 4],
  [413, 3],
  [415, 3],
  [429, 8],
  [503, 14],
]);
const UNKNOWN = 2;
const RETRY_SECONDS = '1';

/**
 * What OTLP/HTTP asks of the whole exchange: a bound on the work in flight, and every refusal as a `google.rpc.Status`
 * in the encoding of the request. Faults of ours pass on to the error boundary. Mount it before the router.
 */
export function otlpSurface(parts: OtlpSurfaceParts): Koa.Middleware {
  return async (ctx, next) => {
    if (ctx.path !== parts.path) return next();
    try {
      await parts.load.admit(() => next());
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const status = error instanceof Refusal ? error.status : parts.describe(error.code)?.http;
      if (status === undefined || (status >= 500 && status !== 503)) throw error;
      refuse(ctx, parts.codecs, status, error);
    }
    return undefined;
  };
}

function refuse(ctx: Koa.Context, codecs: readonly OtlpCodec[], status: number, error: AppError): void {
  const type = (ctx.get('content-type').split(';')[0] ?? '').trim().toLowerCase();
  const codec = codecs.find(({ contentType }) => contentType === type) ?? codecs[0];
  if (codec === undefined) throw error;
  const answer: RpcStatus = { code: RPC_CODES.get(status) ?? UNKNOWN, message: error.message };
  ctx.status = status;
  if (error instanceof Refusal) ctx.set(error.headers);
  // Without it exporters back off by guess, some of them for minutes.
  if (status === 503) ctx.set('retry-after', RETRY_SECONDS);
  ctx.set('content-type', codec.contentType);
  ctx.body = codec.encodeStatus(answer);
  drain(ctx.req);
}
