import type { ErrorCode, ToolContracts, ToolName } from '../../generated/contracts/index.ts';

type Case = () => Promise<void>;

/** One case for each of the names; nothing to write when there are none. */
type CasesFor<Key extends string, Names extends string> = [Names] extends [never]
  ? { readonly [key in Key]?: Readonly<Record<never, Case>> }
  : { readonly [key in Key]: { readonly [name in Names]: Case } };

/** What the tests of one tool owe: a success, every declared error, and every reference from a foreign project. */
export type ToolPlan<N extends ToolName, Succeeds> = {
  /** By sentence about the outside; at least one. */
  readonly succeeds: [keyof Succeeds] extends [never] ? never : Succeeds;
} & CasesFor<'fails', ToolContracts[N]['errors']> &
  CasesFor<'staysInProject', ToolContracts[N]['references']>;

/** What a test needs of a world it was given: one project with a caller in it. */
export interface ToolWorld {
  /** Calls the tool and gives its output; anything but a success fails the test. */
  call<N extends ToolName>(name: N, args: ToolContracts[N]['call']): Promise<ToolContracts[N]['output']>;
  /** Calls the tool and fails the test unless it answers this error. */
  refuses<N extends ToolName>(
    name: N,
    args: ToolContracts[N]['call'],
    expected: { readonly code: ErrorCode; readonly fields?: Readonly<Record<string, unknown>> },
  ): Promise<void>;
  /** Reads a resource and gives its payload. */
  read(uri: string): Promise<unknown>;
}

/** Declares the tests of one tool. A case that the contract asks for and the plan lacks does not compile. */
export function describeTool<N extends ToolName, Succeeds extends Readonly<Record<string, Case>>>(
  name: N,
  plan: ToolPlan<N, Succeeds>,
): void {
  describe(name, () => {
    for (const [sentence, run] of cases(plan.succeeds)) it(sentence, run);
    for (const [code, run] of cases(plan.fails)) it(`answers ${code}`, run);
    for (const [argument, run] of cases(plan.staysInProject)) it(`does not find another project's ${argument}`, run);
  });
}

function cases(group: object | undefined): readonly [string, Case][] {
  // because ToolPlan types every group as cases by name
  return Object.entries(group ?? {}) as [string, Case][];
}

/** A scaffolded case that nobody has written yet. */
export function todo(): Promise<void> {
  return Promise.reject(new Error('this case was scaffolded and is still to be written'));
}
