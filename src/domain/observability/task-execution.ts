import type { SpanDraft } from './span.ts';

export type ExecutionStatus = 'completed' | 'error' | 'interrupted';
export type BindingSource = 'declared' | 'unbound';

/** One run of a behaviour: a unit span and the work below it. */
export interface TaskExecution {
  readonly id: string;
  readonly traceId: string;
  readonly unitSpanId: string;
  /** Of the behaviour its capability has by this key; absent when unbound. */
  readonly behaviourId?: string;
  /** Empty when unbound. */
  readonly behaviourKey: string;
  readonly bindingSource: BindingSource;
  readonly status: ExecutionStatus;
  readonly terminalKind?: string;
  readonly capabilitySlug?: string;
  readonly session?: string;
  readonly startNs: string;
  readonly durationMs: number;
  readonly totalTokens?: number;
  readonly totalCost?: number;
  readonly model?: string;
}

/** How a run ended, as its unit span says: an error outweighs an interruption. */
export function executionStatusOf(unit: Pick<SpanDraft, 'statusCode' | 'unit'>): ExecutionStatus {
  if (unit.statusCode === 2) return 'error';
  return unit.unit?.interrupted === true ? 'interrupted' : 'completed';
}

export function bindingSourceOf(behaviourKey: string): BindingSource {
  return behaviourKey === '' ? 'unbound' : 'declared';
}
