import type { AdapterContexts } from '../../generated/contracts/adapters.ts';

export interface Contexts extends AdapterContexts {
  readonly account: { readonly accountId: string };
  readonly project: { readonly projectId: string };
}

export const link = { uri: 'notes://notes/1', title: 'Note' };
