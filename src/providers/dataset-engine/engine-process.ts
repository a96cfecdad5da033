import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { AppError } from '../../kernel/errors.ts';
import { setPace } from './process-priority.ts';
import type { Pace } from './process-priority.ts';
import type { EngineLimits, EngineReply, EngineRequest, EngineTask } from './protocol.ts';

/** Why a task ended without an answer. */
export class TaskFailure extends Error {
  readonly reason: 'refused' | 'broken' | 'exhausted' | 'timeout' | 'died';

  constructor(reason: TaskFailure['reason'], message: string) {
    super(message);
    this.name = 'TaskFailure';
    this.reason = reason;
  }
}

export interface RunOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** The task has taken so much that its process gives way to all others from now on. */
  readonly onGivesWay?: () => void;
}

const START_MS = 60_000;
const HEAP_MB = 256;

/** One engine process of ours: does one task at a time, and is killed with whatever it is doing when a limit is passed. */
export class EngineProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  #onReply: ((reply: EngineReply) => void) | undefined;
  #isAlive = true;
  #pace: Pace;

  private constructor(child: ChildProcess, pace: Pace) {
    this.#child = child;
    this.#pace = pace;
    // From the first moment on, because a process that starts is work too.
    if (child.pid !== undefined) setPace(child.pid, pace);
    this.#ended = new Promise((resolve) => {
      const end = (): void => {
        this.#isAlive = false;
        resolve();
      };
      child.once('exit', end);
      child.once('error', end);
    });
    child.on('message', (message) => {
      // because the other end is our own engine-main
      this.#onReply?.(message as EngineReply);
    });
  }

  static async start(limits: EngineLimits, pace: Pace): Promise<EngineProcess> {
    const child = fork(entryPoint(), [], {
      // Nothing of the server's environment: it holds credentials that no statement may ever meet.
      env: { TZ: 'UTC' },
      execArgv: [...process.execArgv.filter(isWanted), `--max-old-space-size=${HEAP_MB}`],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const engine = new EngineProcess(child, pace);
    try {
      await engine.#converse({ kind: 'start', limits }, { timeoutMs: START_MS });
    } catch (error) {
      // Nothing was asked of it yet, so no statement and no file is at fault.
      throw new AppError('unavailable', 'The query engine could not start in time; try again later.', { cause: error });
    }
    return engine;
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  get pace(): Pace {
    return this.#pace;
  }

  /** The JSON text the engine answered. After any failure but `refused` and `broken` the process is gone. */
  run(task: EngineTask, options: RunOptions): Promise<string> {
    return this.#converse({ kind: 'task', task }, options);
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  /** Whether the process alone should keep the server from ending: only while it works. */
  keepServerAlive(keep: boolean): void {
    if (keep) {
      this.#child.ref();
      this.#child.channel?.ref();
    } else {
      this.#child.unref();
      this.#child.channel?.unref();
    }
  }

  async #converse(request: EngineRequest, { timeoutMs, signal, onGivesWay }: RunOptions): Promise<string> {
    signal?.throwIfAborted();
    let settle = (): void => undefined;
    const promise = new Promise<string>((resolve, reject) => {
      const timer = setTimeout(() => reject(new TaskFailure('timeout', 'The engine took too long.')), timeoutMs);
      const abort = (): void => reject(signal?.reason);
      signal?.addEventListener('abort', abort, { once: true });
      settle = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
      };
      void this.#ended.then(() => reject(new TaskFailure('died', 'The engine process ended.')));
      this.#onReply = (reply) => {
        if (reply.kind === 'slowed') {
          this.#pace = 'patient';
          onGivesWay?.();
        } else if (reply.kind === 'ready') resolve('');
        else if (reply.kind === 'done') resolve(reply.answer);
        else if (reply.kind === 'exhausted') reject(new TaskFailure('exhausted', 'The engine ran out of memory.'));
        else reject(new TaskFailure(reply.kind, reply.message));
      };
    });
    try {
      this.#send(request);
      return await promise;
    } catch (error) {
      // A process that is still busy with this cannot be trusted with anything else.
      if (!(error instanceof TaskFailure) || !['refused', 'broken'].includes(error.reason)) await this.kill();
      throw error;
    } finally {
      this.#onReply = undefined;
      settle();
    }
  }

  /** A channel that closed under us is no fault of its own: the end of the process is what counts and is seen. */
  #send(request: EngineRequest): void {
    if (this.#isAlive && this.#child.connected) this.#child.send(request, () => undefined);
  }
}

/** The file beside this one, in sources and in the build alike. */
function entryPoint(): string {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return fileURLToPath(new URL(`./engine-main.${extension}`, import.meta.url));
}

/** Loaders are needed in the child too; a debugger port can belong to one process only. */
function isWanted(argument: string): boolean {
  return !argument.startsWith('--inspect') && !argument.startsWith('--max-old-space-size');
}
