import type { BudgetState } from '../costs/budgets.ts';
import type { Peer } from '../costs/peers.ts';
import type { Saving } from '../costs/savings.ts';
import type { ViewCost } from '../costs/views.ts';
import type { CatalogueCost } from '../cost.ts';
import { checkTree, hasErrors, type Checked } from './compile-tree.ts';
import type { ExitCode, Io } from './io.ts';
import { palette } from './io.ts';
import type { Options } from './options.ts';
import { printDiagnostics, printJson } from './report.ts';

/** How many savings the table shows; `--json` has them all. */
const MOST_SAVINGS = 12;

/** Prints what the catalogue costs and fails beyond a budget. Contracts with errors have no cost to tell. */
export async function cost(options: Options, io: Io): Promise<ExitCode> {
  const { diagnostics, parts } = await checkTree(options.schemas);
  if (parts === undefined || hasErrors(diagnostics)) {
    if (options.json) printJson({ ok: false, diagnostics }, io);
    else printDiagnostics(diagnostics, options.schemas, io);
    return 1;
  }
  const found = await figuresOf(parts, options);
  const ok = found.budgets.every(({ kept }) => kept);
  if (options.json) {
    const { costs, ...rest } = found;
    printJson({ ok, view: options.view, ...costs, ...rest }, io);
  } else {
    await tell(found, options, io);
  }
  return ok ? 0 : 1;
}

interface Found {
  readonly costs: CatalogueCost;
  readonly views: readonly ViewCost[];
  readonly budgets: readonly BudgetState[];
  readonly savings: readonly Saving[];
}

async function figuresOf({ model, projection }: NonNullable<Checked['parts']>, options: Options): Promise<Found> {
  const [{ costOf }, { budgetStates }, { lastBaseline }, { rememberingCounter }, { savingsOf }, { viewCosts }] =
    await Promise.all([
      import('../cost.ts'),
      import('../costs/budgets.ts'),
      import('../costs/baseline.ts'),
      import('../costs/figures.ts'),
      import('../costs/savings.ts'),
      import('../costs/views.ts'),
    ]);
  const count = rememberingCounter();
  const account = costOf(model, projection, { count });
  const baseline = lastBaseline(options.schemas, count);
  return {
    costs: options.view === 'account' ? account : costOf(model, projection, { count, view: options.view }),
    views: viewCosts(model, projection, count),
    budgets: budgetStates(model, { catalogue: account, ...(baseline === undefined ? {} : { baseline }) }),
    savings: savingsOf({ model, projection, cost: account, count }),
  };
}

async function tell({ costs, views, budgets, savings }: Found, options: Options, io: Io): Promise<void> {
  io.out(await toolTable(costs));
  io.out(
    `\nTokens are o200k; shown = name, description and input of the ${options.view} listing. Mean shown: ${costs.meanShownTokens}. Instructions: ${costs.instructions.tokens} tokens.\n`,
  );
  io.out(`\n${viewTable(views)}`);
  if (options.peers) io.out(`\n${await peerTable(views)}`);
  if (options.savings) io.out(`\n${savingTable(savings)}`);
  await tellBudgets(budgets, io);
}

async function toolTable(costs: CatalogueCost): Promise<string> {
  const { SEGMENTS } = await import('../cost.ts');
  const rows = costs.tools.map(({ name, segments, shown, whole }) => [
    name,
    ...SEGMENTS.map((segment) => segments[segment].tokens),
    shown.tokens,
    whole.tokens,
    whole.bytes,
  ]);
  const total = SEGMENTS.map((segment) => costs.tools.reduce((sum, { segments }) => sum + segments[segment].tokens, 0));
  rows.push(['total', ...total, costs.shown.tokens, costs.whole.tokens, costs.whole.bytes]);
  return table([['tool', ...SEGMENTS, 'shown', 'whole', 'bytes'], ...rows]);
}

function viewTable(views: readonly ViewCost[]): string {
  const rows = views.map(({ name, tools, shown, mean, whole }) => [
    name,
    tools,
    shown.tokens,
    mean,
    shown.bytes,
    whole?.tokens ?? '',
  ]);
  return table([['view', 'tools', 'shown', 'mean', 'bytes', 'whole'], ...rows]);
}

async function peerTable(views: readonly ViewCost[]): Promise<string> {
  const { PEERS } = await import('../costs/peers.ts');
  const ours = views.map(({ name, tools, shown, mean }): Peer => ({
    name: `this catalogue, ${name}`,
    mean: [mean],
    tools,
    total: shown.tokens,
  }));
  const all = [...ours.slice(0, 2), ...PEERS.peers].sort((left, right) => left.mean[0] - right.mean[0]);
  const rows = all.map(({ name, mean, tools, total }) => [
    name,
    mean.filter((one) => one !== undefined).join('–'),
    tools ?? '',
    total ?? '',
  ]);
  return `${table([['catalogue', 'mean', 'tools', 'total'], ...rows])}${PEERS.measure}; source: ${PEERS.source}, ${PEERS.seen}.\n`;
}

function savingTable(savings: readonly Saving[]): string {
  const rows = savings
    .slice(0, MOST_SAVINGS)
    .map(({ kind, subject, tokens, advice }) => [`${kind}: ${subject}`, tokens, advice]);
  return table([['what would save most', 'tokens', ''], ...rows], ['start', 'end', 'start']);
}

async function tellBudgets(budgets: readonly BudgetState[], io: Io): Promise<void> {
  if (budgets.length === 0) return;
  const { unitOf } = await import('../costs/budgets.ts');
  const { red, green } = palette(io.color);
  io.out('\n');
  for (const { budget, limit, found, what, kept } of budgets) {
    const line = `${what} ${found}${unitOf(budget)}, of ${limit} (budgets.${budget})`;
    io.out(`${kept ? green('kept') : red('over')}  ${line}\n`);
  }
  if (budgets.some(({ kept }) => !kept)) io.err('The catalogue is over its budget; --savings says what would help.\n');
}

type Cell = string | number;

/** Text to the left and numbers to the right, unless told otherwise. */
function table(rows: readonly (readonly Cell[])[], sides: readonly ('start' | 'end')[] = ['start']): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => String(row[column] ?? '').length)));
  const pad = (cell: Cell, column: number): string =>
    (sides[column] ?? 'end') === 'start'
      ? String(cell).padEnd(widths[column] ?? 0)
      : String(cell).padStart(widths[column] ?? 0);
  return `${rows.map((row) => row.map(pad).join('  ').trimEnd()).join('\n')}\n`;
}
