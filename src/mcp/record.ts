import { monotonicMs, type Clock } from '../kernel/clock.ts';
import type { Exchange, Operation } from './exchange.ts';
import type { AuditEntry, AuditSink, Metrics, OperationKind } from './ports.ts';

/** How an operation ends that its client no longer waits for; beside `ok` and the error codes. */
export const CANCELLED = 'cancelled';

/** Leaves the audit row and the metrics of one finished operation. */
export class Recorder {
  readonly #audit: AuditSink;
  readonly #metrics: Metrics;
  readonly #clock: Clock;

  constructor(ports: { readonly audit: AuditSink; readonly metrics: Metrics; readonly clock: Clock }) {
    this.#audit = ports.audit;
    this.#metrics = ports.metrics;
    this.#clock = ports.clock;
  }

  finish(
    operation: {
      readonly exchange: Pick<Exchange, 'requestId' | 'clientIp'>;
      readonly principal: Pick<Operation<unknown>['principal'], 'subject' | 'credentialId'>;
    },
    what: { readonly kind: OperationKind; readonly name: string; readonly startMs: number },
    outcome: string,
    projectId: string | undefined,
  ): void {
    const durationMs = monotonicMs() - what.startMs;
    const { exchange, principal } = operation;
    const entry: AuditEntry = {
      at: this.#clock.now(),
      requestId: exchange.requestId,
      clientIp: exchange.clientIp,
      subject: principal.subject,
      credentialId: principal.credentialId,
      projectId,
      kind: what.kind,
      name: what.name,
      outcome,
      durationMs,
    };
    this.#audit.record(entry);
    this.#metrics.operation(what.kind, what.name, outcome, durationMs);
  }
}
