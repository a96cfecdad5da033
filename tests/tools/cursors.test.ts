import assert from 'node:assert/strict';
import { catalog } from '../../generated/catalog/index.ts';
import type { ToolContracts, ToolName } from '../../generated/contracts/index.ts';
import { PageCursors } from '../../src/kernel/page-cursor.ts';
import { exportSpans } from '../domain/observability/support/export.ts';
import { traceId } from '../domain/observability/support/otlp.ts';
import { readTrace } from '../resources/support/readings.ts';
import { given, type Caller, type World } from '../support/given.ts';

/** The tools whose answers have pages, as the contract knows them. */
type Listing = { [N in ToolName]: 'cursor' extends keyof ToolContracts[N]['call'] ? N : never }[ToolName];

interface List {
  /** Ids of the rows on a page. */
  readonly rows: string;
  readonly id: string;
  /** The same list, asked otherwise. */
  readonly others: readonly object[];
  readonly access: 'account' | 'project';
}

const LISTS: Readonly<Record<Listing, List>> = {
  list_projects: { rows: 'projects', id: 'id', others: [], access: 'account' },
  list_datasets: {
    rows: 'datasets',
    id: 'id',
    others: [{ search: 'pile' }, { state: 'landing' }, { intent: 'train' }, { capability: 'desk' }],
    access: 'project',
  },
  query_traces: {
    rows: 'traces',
    id: 'trace_id',
    others: [{ has_error: false }, { ordering: 'name' }, { ordering: 'start_time_ns' }, { all_spans: true }],
    access: 'project',
  },
  query_task_executions: {
    rows: 'task_executions',
    id: 'id',
    others: [{ has_error: false }, { behaviour: 'answer' }, { status: 'completed' }, { capability: 'desk' }],
    access: 'project',
  },
};
// because the keys of a record of this type are its lists
const NAMES = Object.keys(LISTS) as Listing[];
const ROWS = 5;
const START = 1_762_500_000_000_000_000n;

interface Page {
  readonly ids: readonly string[];
  readonly next: string | null;
}

/** One person with two projects, five rows in every list of the first, and a key for all of it. */
class Shelves {
  readonly caller: Caller;
  readonly world: World;
  readonly other: World;
  readonly traces: readonly string[];

  constructor(parts: Pick<Shelves, 'caller' | 'world' | 'other' | 'traces'>) {
    this.caller = parts.caller;
    this.world = parts.world;
    this.other = parts.other;
    this.traces = parts.traces;
  }

  static async fill(): Promise<Shelves> {
    const caller = await given.account();
    const { account } = caller;
    const [world, other] = [await given.project({ account }), await given.project({ account })];
    for (let rest = 2; rest < ROWS; rest += 1) await given.project({ account, name: `Further ${rest}` });
    const traces = Array.from({ length: ROWS }, traceId);
    for (const [index, trace] of traces.entries()) {
      const attributes = { 'overmind.behaviour': 'answer', 'overmind.capability': 'Desk' };
      await exportSpans(world, [{ trace, name: `turn ${index}`, start: START + BigInt(index), attributes }]);
      await world.call('create_dataset_from_traces', { name: `pile ${index}`, trace_ids: [trace] });
    }
    return new Shelves({ caller, world, other, traces });
  }

  /** A page, or the code of the refusal. */
  async ask(name: Listing, args: object, project = this.world.project.id): Promise<Page | string> {
    const { rows, id, access } = LISTS[name];
    const all = access === 'project' ? { project_id: project, ...args } : args;
    const { result } = await this.caller.rpc('tools/call', { name, arguments: all });
    // because every list answers its rows and a page
    const answer = (result?.['structuredContent'] ?? {}) as Readonly<Record<string, unknown>>;
    const found = answer[rows];
    if (!Array.isArray(found)) return (await this.caller.refusal(name, all)).code;
    const { next_cursor: next } = answer['page'] as { readonly next_cursor: string | null }; // because lists have one
    return { ids: found.map((row) => String(row[id])), next };
  }

  async page(name: Listing, args: object): Promise<Page> {
    const page = await this.ask(name, args);
    assert.ok(typeof page !== 'string', `${name} ${JSON.stringify(args)} answers ${JSON.stringify(page)}`);
    return page;
  }

  async cursor(name: Listing): Promise<string> {
    return (await this.page(name, { limit: 2 })).next ?? assert.fail(`${name} has no second page`);
  }
}

function changed(text: string, at: number): string {
  return text.slice(0, at) + (text.charAt(at) === 'A' ? 'B' : 'A') + text.slice(at + 1);
}

/** The same place, sealed as it would be by someone who does not know the secret. */
function resealed(cursor: string): string {
  const bytes = Buffer.from(cursor, 'base64url');
  const position = bytes.subarray(29).toString('utf8');
  return Buffer.concat([bytes.subarray(0, 29), Buffer.from(position.replace(/[0-9a-z]/, '0'))]).toString('base64url');
}

describe('cursors of every list', function () {
  this.timeout(60_000);
  let shelves: Shelves;
  before(async () => {
    shelves = await Shelves.fill();
  });

  it('are those of the catalog', () => {
    const paged = catalog.tools.filter(({ argumentNames }) => argumentNames.includes('cursor'));
    assert.deepEqual(paged.map(({ name }) => name).toSorted(), NAMES.toSorted());
  });

  it('are refused when they are made up, changed in any part, or sealed with another secret', async () => {
    for (const name of NAMES) {
      const cursor = await shelves.cursor(name);
      const foreign = new PageCursors('another installation').seal({ list: name }, ['a', 'b']);
      const forged = [
        'forged',
        `${cursor}A`,
        `${cursor}=`,
        ` ${cursor}`,
        cursor.slice(1),
        cursor.slice(0, -1),
        foreign,
        resealed(cursor),
        Buffer.from(JSON.stringify({ offset: 1 })).toString('base64'),
        ...[0, 10, 22, 30, cursor.length - 2].map((at) => changed(cursor, at)),
      ];
      for (const bad of forged) assert.equal(await shelves.ask(name, { limit: 2, cursor: bad }), 'invalid_filter', bad);
    }
  });

  it('are refused by every other query, list, project, resource and endpoint', async () => {
    const { caller, world, other, traces } = shelves;
    const client = world.client();
    const of = new Map<string, string>();
    for (const name of NAMES) of.set(name, await shelves.cursor(name));
    for (const name of NAMES) {
      const cursor = of.get(name) ?? '';
      for (const args of LISTS[name].others) {
        const answer = await shelves.ask(name, { ...args, limit: 2, cursor });
        assert.equal(answer, 'invalid_filter', `${name} with ${JSON.stringify(args)}`);
      }
      if (LISTS[name].access === 'project')
        assert.equal(await shelves.ask(name, { limit: 2, cursor }, other.project.id), 'invalid_filter', name);
      for (const [from, stray] of of)
        if (from !== name)
          assert.equal(await shelves.ask(name, { cursor: stray }), 'invalid_filter', `${from}: ${name}`);
      const uri = `overmind://traces/${traces[0]}?cursor=${cursor}&project_id=${world.project.id}`;
      await caller.refusesRead(uri, 'invalid_filter');
      await assert.rejects(client.get_agent_calls({ parameters: { cursor } }), { code: 'invalid_filter' });
      await assert.rejects(client.get_projects({ parameters: { cursor } }), { code: 'invalid_filter' });
      assert.equal(typeof (await shelves.ask(name, { limit: 1, cursor })), 'object', `${name}: its own, and any limit`);
    }
  });

  it('are refused to others, in the words of a made-up one', async () => {
    const stranger = await given.account();
    await given.project({ account: stranger.account });
    const cursor = await shelves.cursor('list_projects');
    await stranger.refuses('list_projects', { cursor }, { code: 'invalid_filter', fields: { field: 'cursor' } });
  });

  it('go on after the very row they stand on is gone, with no row twice and none left out', async () => {
    const own = await Shelves.fill();
    const { services } = own.world;
    const first = new Map<Listing, Page>();
    for (const name of NAMES) first.set(name, await own.page(name, { limit: 2 }));
    const whole = new Map<Listing, Page>();
    for (const name of NAMES) whole.set(name, await own.page(name, { limit: 100 }));
    const rowOf = (name: Listing) => first.get(name)?.ids.at(-1) ?? '';
    const gone = rowOf('query_traces');
    for (const table of ['task_executions', 'spans', 'traces'])
      await services.db(table).where({ project_id: own.world.project.id, trace_id: gone }).delete();
    await services
      .db('datasets')
      .where({ id: rowOf('list_datasets') })
      .delete();
    await own.world.call('create_dataset_from_traces', {
      name: 'new',
      trace_ids: own.traces.filter((id) => id !== gone),
    });
    await exportSpans(own.world, [
      { name: 'new', start: START + 100n, attributes: { 'overmind.behaviour': 'answer' } },
    ]);
    const kept = own.world.project.id === rowOf('list_projects') ? own.other.project.id : rowOf('list_projects');
    await services.projects.setActive(kept, false);
    for (const name of NAMES) {
      const { ids, next } = await own.page(name, { limit: 100, cursor: first.get(name)?.next });
      assert.deepEqual([ids, next], [whole.get(name)?.ids.slice(2), null], name);
    }
  });
});

describe('the cursor of a trace', () => {
  it('is good for its own trace alone', async () => {
    const world = await given.project();
    const [long, short] = [traceId(), traceId()];
    const spans = Array.from({ length: 101 }, () => ({ trace: long }));
    await exportSpans(world, [...spans, { trace: short }]);
    const { next_cursor: cursor } = await readTrace(world, long);
    assert.ok(cursor !== null);
    await world.refusesRead(`overmind://traces/${short}?cursor=${cursor}`, 'invalid_filter');
    await world.refusesRead(`overmind://traces/${long}?cursor=${changed(cursor, 30)}`, 'invalid_filter');
    await world.refuses('query_traces', { cursor }, { code: 'invalid_filter' });
    assert.equal((await readTrace(world, long, cursor)).spans.length, 1);
  });
});
