import type { CatalogContract } from './contract.ts';

const LONGEST_INSTRUCTIONS = 2000;

/** Who the server says it is, in both eras alike. */
export interface ServerIdentity {
  readonly name: string;
  readonly title: string;
  readonly version: string;
}

export function identityOf(contract: CatalogContract): ServerIdentity {
  const { name, title, version } = contract.server;
  return { name, title, version };
}

/** Several clients cut instructions at 2 KB; a contract that needs more would lose its end without anybody noticing. */
export function instructionsOf(contract: CatalogContract): string {
  const { instructions } = contract.server;
  if (instructions.length > LONGEST_INSTRUCTIONS)
    throw new Error(`the instructions have more than ${LONGEST_INSTRUCTIONS} characters`);
  return instructions;
}
