import type { AccountContext } from '../context/account-context.ts';
import type { ProjectContext } from '../context/project-context.ts';

/** What the generated reader interfaces receive as their context, bound once for the whole product. */
export interface Contexts {
  readonly account: AccountContext;
  readonly project: ProjectContext;
}
