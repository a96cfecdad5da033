import { monotonicMs } from '../kernel/clock.ts';

/** One line that is written over, for a person at a terminal; nothing where nobody looks. */
export interface Progress {
  show(line: string): void;
  /** Clears the line, so that what follows begins on an empty one. */
  end(): void;
}

const EVERY_MS = 100;

export function createProgress(stream: NodeJS.WriteStream, isQuiet: boolean): Progress {
  if (isQuiet || !stream.isTTY) return { show: () => {}, end: () => {} };
  let shownAt = 0;
  let isShown = false;
  return {
    show(line) {
      const now = monotonicMs();
      if (now - shownAt < EVERY_MS) return;
      shownAt = now;
      isShown = true;
      stream.write(`\r\u001b[2K${line.slice(0, Math.max(20, stream.columns - 1))}`);
    },
    end() {
      if (isShown) stream.write('\r\u001b[2K');
      isShown = false;
    },
  };
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB'] as const;

/** `12.3 MiB` */
export function formatBytes(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  const value = bytes / 1024 ** power;
  return `${power === 0 ? value : value.toFixed(1)} ${UNITS[power] ?? 'B'}`;
}
