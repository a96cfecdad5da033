import { engineProcesses, usageOf } from './process-usage.ts';

export interface MemoryPeaks {
  readonly serverMib: number;
  /** Of the largest engine process. */
  readonly engineMib: number;
}

const EVERY_MS = 200;
const MIB = 2 ** 20;

/** Looks at the memory of a server and its engine processes for as long as it is not stopped. */
export class MemoryWatch {
  readonly #serverPid: number;
  readonly #timer: NodeJS.Timeout;
  #server = 0;
  #engine = 0;

  constructor(serverPid: number) {
    this.#serverPid = serverPid;
    this.#timer = setInterval(() => this.#look(), EVERY_MS);
  }

  /** The peaks since the last question. */
  take(): MemoryPeaks {
    this.#look();
    const peaks = { serverMib: this.#server / MIB, engineMib: this.#engine / MIB };
    this.#server = 0;
    this.#engine = 0;
    return peaks;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    this.#server = Math.max(this.#server, usageOf(this.#serverPid)?.residentBytes ?? 0);
    for (const { residentBytes } of engineProcesses(this.#serverPid))
      this.#engine = Math.max(this.#engine, residentBytes);
  }
}
