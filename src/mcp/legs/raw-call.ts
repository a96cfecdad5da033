import type { Operation } from '../exchange.ts';
import type { RawCall } from '../extensions.ts';

/** What a leg's SDK gives for one call; the rest of a `RawCall` is the same for both. */
export interface LegCall {
  readonly clientCapabilities: unknown;
  readonly inputResponses?: Readonly<Record<string, unknown>> | undefined;
  readonly state?: unknown;
  readonly progressToken: string | number | undefined;
  readonly signal: AbortSignal;
  readonly notifyProgress: (params: Record<string, unknown>) => Promise<void>;
  readonly log: (level: string, data: unknown) => Promise<void>;
  readonly seal: (state: unknown) => Promise<string>;
  readonly listChanged: (list: 'tools' | 'prompts' | 'resources') => void;
}

export function rawCall<A>(operation: Operation<A>, leg: LegCall): RawCall<A> {
  const { clientCapabilities, progressToken } = leg;
  return {
    principal: operation.principal,
    era: operation.era,
    requestId: operation.exchange.requestId,
    signal: leg.signal,
    clientCapabilities:
      typeof clientCapabilities === 'object' && clientCapabilities !== null ? { ...clientCapabilities } : {},
    inputResponses: leg.inputResponses,
    state: leg.state,
    progressToken,
    seal: leg.seal,
    log: leg.log,
    listChanged: leg.listChanged,
    progress: async (progress, total, message) => {
      if (progressToken === undefined) return;
      await leg.notifyProgress({
        progressToken,
        progress,
        ...(total === undefined ? {} : { total }),
        ...(message === undefined ? {} : { message }),
      });
    },
  };
}
