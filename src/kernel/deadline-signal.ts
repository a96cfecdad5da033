/**
 * Aborts when the time is up, with a `TimeoutError`, or as soon as one of the signals does. `AbortSignal.any` holds its
 * sources weakly: a timeout that nobody else holds is forgotten with the next garbage. Here the timer holds it.
 */
export function deadlineSignal(ms: number, ...signals: readonly AbortSignal[]): AbortSignal {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(new DOMException('The time is up.', 'TimeoutError')), ms);
  timer.unref();
  const either = AbortSignal.any([...signals, timeout.signal]);
  either.addEventListener('abort', () => clearTimeout(timer), { once: true });
  return either;
}
