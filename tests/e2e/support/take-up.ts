import { setTimeout as wait } from 'node:timers/promises';
import type { Installation } from './installation.ts';

export interface OpenJob {
  readonly id: string;
  readonly attempt: number;
  readonly step: 'land' | 'run';
  readonly lease: string | null;
}

/** Measures how long jobs lie after a kill before somebody goes on with them. */
export class TakeUps {
  readonly #installation: Installation;
  readonly #watches: Promise<void>[] = [];
  longestMs = 0;
  count = 0;

  constructor(installation: Installation) {
    this.#installation = installation;
  }

  /** The jobs that somebody is at. */
  open(): Promise<readonly OpenJob[]> {
    return this.#installation.look<OpenJob>(
      `select id, attempt, payload ->> 'step' as step, lease_until::text as lease from jobs where status = 'running'`,
    );
  }

  /**
   * From now until each of the jobs has ended or has a further attempt; where the workers outlive the kill, also until
   * one of them has renewed its lease.
   */
  watch(jobs: readonly OpenJob[], workersLive: boolean): void {
    for (const job of jobs) this.#watches.push(this.#watch(job, workersLive, performance.now()));
  }

  async all(): Promise<void> {
    await Promise.all(this.#watches);
  }

  async #watch({ id, attempt, lease }: OpenJob, workersLive: boolean, since: number): Promise<void> {
    for (;;) {
      await wait(200);
      const [now] = await this.#installation.look<{ isTaken: boolean; isRenewed: boolean | null }>(
        `select finished_at is not null or attempt > ?::int as "isTaken", lease_until > ?::timestamptz as "isRenewed"
         from jobs where id = ?`,
        [String(attempt), lease ?? 'infinity', id],
      );
      if (now === undefined) throw new Error(`The job ${id} is gone.`);
      if (!now.isTaken && !(workersLive && now.isRenewed === true)) continue;
      this.longestMs = Math.max(this.longestMs, performance.now() - since);
      this.count += 1;
      return;
    }
  }
}
