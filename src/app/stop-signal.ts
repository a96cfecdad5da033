export interface StopSignal {
  /** Resolves with the name of the first stop signal. */
  readonly stopped: Promise<NodeJS.Signals>;
  dispose(): void;
}

/** Signals that end a process kindly; `onSecond` is what happens to somebody who will not wait. */
export function onStopSignal(onSecond: (signal: NodeJS.Signals) => void): StopSignal {
  const signals: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT'];
  const { promise, resolve } = withResolvers<NodeJS.Signals>();
  let count = 0;
  const listener = (signal: NodeJS.Signals): void => {
    count += 1;
    if (count === 1) resolve(signal);
    else onSecond(signal);
  };
  for (const signal of signals) process.on(signal, listener);
  return {
    stopped: promise,
    dispose: () => {
      for (const signal of signals) process.off(signal, listener);
    },
  };
}

function withResolvers<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
