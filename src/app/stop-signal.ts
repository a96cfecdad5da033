export interface StopSignal {
  /** Resolves with the name of the first stop signal. */
  readonly stopped: Promise<NodeJS.Signals>;
  dispose(): void;
}

const SIGNALS: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT'];

/** Signals that end a process kindly; `onSecond` is what happens to somebody who will not wait. */
export function onStopSignal(onSecond: (signal: NodeJS.Signals) => void): StopSignal {
  const listeners: ((signal: NodeJS.Signals) => void)[] = [];
  const stopped = new Promise<NodeJS.Signals>((resolve) => {
    let isStopping = false;
    listeners.push((signal) => {
      if (isStopping) onSecond(signal);
      isStopping = true;
      resolve(signal);
    });
  });
  for (const listener of listeners) for (const signal of SIGNALS) process.on(signal, listener);
  return {
    stopped,
    dispose: () => {
      for (const listener of listeners) for (const signal of SIGNALS) process.off(signal, listener);
    },
  };
}
