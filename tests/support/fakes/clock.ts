import type { Clock } from '../../../src/kernel/clock.ts';

/** A clock that stands still until it is told to move. */
export class FakeClock implements Clock {
  #nowMs: number;

  constructor(start: Date | string = '2026-03-01T12:00:00.000Z') {
    this.#nowMs = new Date(start).getTime();
  }

  now(): Date {
    return new Date(this.#nowMs);
  }

  advance(ms: number): void {
    this.#nowMs += ms;
  }

  set(instant: Date | string): void {
    this.#nowMs = new Date(instant).getTime();
  }
}
