import type { AccountContext } from './account-context.ts';

/** The project one call works in; resolved against membership before any handler runs. */
export interface ProjectContext {
  readonly account: AccountContext;
  readonly project: { readonly id: string; readonly name: string; readonly slug: string };
}
