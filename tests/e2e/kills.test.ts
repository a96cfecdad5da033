import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { eventually } from '../support/eventually.ts';
import { assertWhole } from './support/end-state.ts';
import { ACTIVITIES, GoodClient, type Activity } from './support/good-client.ts';
import { Installation, type Member } from './support/installation.ts';
import { TakeUps, type OpenJob } from './support/take-up.ts';
import { Traffic } from './support/traffic.ts';

type Victim = 'server' | 'worker' | 'database';

/**
 * `KILL_SERVERS=50 KILL_WORKERS=0 KILL_DATABASES=0` makes a long run of one of them; `CHAOS_STALLS=1` also stops workers
 * for longer than a lease meanwhile. The database is the embedded one, or a PostgreSQL of the test's own where the
 * suite runs on one (`CHAOS_DATABASE` says otherwise).
 */
const KILLS: Readonly<Record<Victim, number>> = {
  server: Number(process.env['KILL_SERVERS'] ?? 1),
  worker: Number(process.env['KILL_WORKERS'] ?? 1),
  database: Number(process.env['KILL_DATABASES'] ?? 1),
};
const STALLS = process.env['CHAOS_STALLS'] === '1';
const DATABASE =
  process.env['CHAOS_DATABASE'] ?? ((process.env['DATABASE_URL'] ?? '') === '' ? 'embedded' : 'postgresql');
const TAKE_UP_MS = 60_000;
/** How long a loaded machine may take to go on after a kill. */
const GOES_ON_MS = 180_000;
/** Longer than the 20 s of a lease. */
const STALL_MS = 25_000;
/** How long a moment is waited for in which everything is under way. */
const MOMENT_MS = 2_000;
/** A long run says how far it is. */
const TELL_EVERY = 10;

interface Tally {
  kills: number;
  readonly inFlight: Record<Activity, number>;
}

describe(`an installation on ${DATABASE} whose servers, workers and database are killed`, function () {
  const total = KILLS.server + KILLS.worker + KILLS.database;
  this.timeout(480_000 + total * 60_000);
  let installation: Installation;
  let everybody: Traffic | undefined;

  before(async () => {
    assert.ok(DATABASE === 'embedded' || DATABASE === 'postgresql', 'CHAOS_DATABASE is embedded or postgresql');
    installation = await Installation.start(DATABASE);
  });
  afterEach(function () {
    everybody?.abandon();
    if (this.currentTest?.state === 'failed') console.log(installation.faults());
  });
  after(() => installation.close());

  it('keeps all it has confirmed, once, ends every job once and takes each up within a minute', async () => {
    const traffic = (everybody = new Traffic(new GoodClient(installation)));
    const takeUps = new TakeUps(installation);
    const tallies = new Map<Victim, Tally>();
    traffic.start();
    await begun(traffic);
    let done = 0;
    const stalls = STALLS ? new Stalls(installation) : undefined;
    for (const victim of inTurns()) {
      const tally = tallies.get(victim) ?? { kills: 0, inFlight: emptyCounts() };
      tallies.set(victim, tally);
      await killOne(victim, { traffic, takeUps, tally });
      await installation.complete();
      await progress(traffic);
      traffic.check();
      done += 1;
      if (done % TELL_EVERY === 0) console.log(`      ${done} of ${total} kills, ${traffic.state}`);
    }
    await stalls?.end();
    await traffic.finish();
    await takeUps.all();
    await assertWhole(installation, traffic);
    for (const [victim, { kills, inFlight }] of tallies)
      console.log(`      ${victim}: ${kills} kills; in flight at the kill: ${JSON.stringify(inFlight)}`);
    const { traces, promised, uploads, exports, jobs, runsAgain } = traffic;
    console.log(
      `      ${traces.length} exports of spans, ${uploads.length} more uploads, ${promised.length} datasets, ${jobs} jobs (${runsAgain} asked for again), ` +
        `${exports} files exported; ${takeUps.count} jobs lost their worker or database, the longest lay ` +
        `${(takeUps.longestMs / 1_000).toFixed(1)} s; ${stalls?.count ?? 0} stalls past the lease`,
    );
    assert.ok(takeUps.longestMs < TAKE_UP_MS, `a job lay for ${takeUps.longestMs} ms`);
  });

  /** Waits for the moment in which the victim has everything in hand, a little longer, and kills. */
  async function killOne(
    victim: Victim,
    { traffic, takeUps, tally }: { readonly traffic: Traffic; readonly takeUps: TakeUps; readonly tally: Tally },
  ): Promise<void> {
    const looksAt = performance.now() + MOMENT_MS;
    let best = await momentOf(victim, traffic, takeUps);
    while (best.activities.length < ACTIVITIES.length && performance.now() < looksAt) {
      await wait(10);
      best = await momentOf(victim, traffic, takeUps);
    }
    await wait(Math.random() * 40);
    const { member, jobs, activities } = await momentOf(victim, traffic, takeUps, best.member);
    if (member === undefined) await installation.database.kill();
    else await installation.kill(member);
    takeUps.watch(jobs, member === undefined);
    tally.kills += 1;
    for (const activity of activities) tally.inFlight[activity] += 1;
  }

  async function momentOf(victim: Victim, traffic: Traffic, takeUps: TakeUps, chosen?: Member): Promise<Moment> {
    const open = await takeUps.open();
    if (victim === 'database') return momentIn(traffic, open, undefined);
    const members = chosen === undefined ? installation.alive(victim) : [chosen];
    const moments = members.map((member) => momentIn(traffic, open, member));
    const [first] = moments.toSorted((one, other) => other.activities.length - one.activities.length);
    return first ?? assert.fail(`no ${victim} is there`);
  }
});

interface Moment {
  /** Absent: the database. */
  readonly member: Member | undefined;
  /** Jobs that nobody is at after the kill, unless somebody takes them up. */
  readonly jobs: readonly OpenJob[];
  readonly activities: readonly Activity[];
}

/** A worker that dies has jobs in hand; what goes on at the servers meanwhile is in flight all the same. */
function momentIn(traffic: Traffic, open: readonly OpenJob[], member: Member | undefined): Moment {
  const jobs = member === undefined ? open : open.filter(({ id }) => member.inHand.has(id));
  const activities = ACTIVITIES.filter((activity) => {
    if (activity === 'landing') return jobs.some(({ step }) => step === 'land');
    if (activity === 'step') return jobs.some(({ step }) => step === 'run');
    return traffic.client.busy(activity, member?.role === 'server' ? member.origin : undefined) > 0;
  });
  return { member, jobs, activities };
}

/** There is something to export before anything is killed. */
async function begun(traffic: Traffic): Promise<void> {
  await eventually(
    () => {
      traffic.check();
      assert.ok(traffic.promised.length > 0, `nothing lands: ${traffic.state}`);
    },
    { withinMs: 240_000, everyMs: 50 },
  );
}

/** The next kill comes when the last one is over: spans are taken and files given out again. */
async function progress(traffic: Traffic): Promise<void> {
  const { traces, exports } = traffic;
  const before = traces.length;
  await eventually(
    () => {
      traffic.check();
      assert.ok(traces.length > before + 2 && traffic.exports > exports, `nothing goes on: ${traffic.state}`);
    },
    { withinMs: GOES_ON_MS, everyMs: 50 },
  );
}

function* inTurns(): Generator<Victim> {
  const left = { ...KILLS };
  while (left.server + left.worker + left.database > 0) {
    for (const victim of ['server', 'worker', 'database'] as const) {
      if (left[victim] === 0) continue;
      left[victim] -= 1;
      yield victim;
    }
  }
}

/** Stops one worker after the other, each with a job in hand, for longer than its lease. */
class Stalls {
  count = 0;
  #isOver = false;
  readonly #done: Promise<void>;

  constructor(installation: Installation) {
    this.#done = this.#run(installation);
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#done;
  }

  async #run(installation: Installation): Promise<void> {
    while (!this.#isOver) {
      const workers = installation.alive('worker');
      const member = workers.length > 1 ? workers.find(({ inHand }) => inHand.size > 0) : undefined;
      if (member === undefined) {
        await wait(20);
        continue;
      }
      await installation.stall(member, STALL_MS);
      this.count += 1;
      await wait(2_000);
    }
  }
}

function emptyCounts(): Record<Activity, number> {
  return { ingest: 0, upload: 0, landing: 0, step: 0, export: 0 };
}
