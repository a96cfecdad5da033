import { AppError } from '../kernel/errors.ts';
import type { Exchange } from './exchange.ts';

/** Waits for work, but no longer than its time. Late work is told to stop through the exchange's signal. */
export function withDeadline<T>(work: Promise<T>, timeoutMs: number, exchange: Exchange): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      const seconds = Math.round(timeoutMs / 100) / 10;
      const error = new AppError(
        'unavailable',
        `The call ran out of its time of ${seconds} s. Ask for less, or try again later.`,
        {
          fields: { timeout_seconds: seconds },
        },
      );
      exchange.abort(error);
      reject(error);
    }, timeoutMs);
    work.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        // oxlint-disable-next-line promise/prefer-await-to-then -- a race against a timer
        reject(
          error instanceof Error
            ? error
            : new Error('a handler threw something that is not an error', { cause: error }),
        );
      },
    );
  });
}
