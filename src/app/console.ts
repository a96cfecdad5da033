import type Koa from 'koa';
import { catalog } from '../../generated/catalog/index.ts';
import { createConsole, type Console } from '../console/index.ts';
import type { ToolOutcome } from '../console/pages/catalog.ts';
import type { PersonVisit } from '../console/visit.ts';
import type { AccountContext } from '../context/account-context.ts';
import { monotonicMs } from '../kernel/clock.ts';
import { deriveKey } from '../kernel/secrets.ts';
import type { DirectCall, Mcp } from '../mcp/create-mcp.ts';
import { clientConfigs } from './client-configs.ts';
import type { Product } from './product.ts';
import type { Services } from './services.ts';

export interface ConsoleOptions {
  readonly product: Product;
  readonly mcp: Mcp<AccountContext>;
  readonly clientIp: (ctx: Koa.Context) => string;
}

/** The Console over the same services as every other surface. */
export function consoleOf(services: Services, { product, mcp, clientIp }: ConsoleOptions): Console {
  const { config, addresses, installationSecret } = services;
  return createConsole({
    ...services,
    clientIp,
    isHttps: addresses.origin.startsWith('https:'),
    origins: [addresses.origin, new URL(addresses.frontendUrl).origin],
    csrfKey: deriveKey(installationSecret, 'console-csrf'),
    describe: (code) => product.contract.errors[code],
    frontendUrl: addresses.frontendUrl,
    mcpUrl: addresses.mcpUrl,
    hasOAuth: config.mcpServerUrl !== undefined,
    clientConfigs: (key) => clientConfigs(addresses.mcpUrl, key),
    catalog,
    lookup: product.jobs.lookup,
    callTool: (visit, name, args) => callTool(mcp, visit, { name, args }),
    countTokens,
  });
}

async function callTool(
  mcp: Mcp<AccountContext>,
  visit: PersonVisit,
  { name, args }: { readonly name: string; readonly args: Record<string, unknown> },
): Promise<ToolOutcome> {
  const startMs = monotonicMs();
  const answer = await mcp.callTool({ ...visit, ...visit.node, principal: principalOf(visit) }, name, args);
  return { isError: answer.isError, text: answer.text, links: answer.links, durationMs: monotonicMs() - startMs };
}

/** What one of the person's agents would be, were it let in for reading this one project. */
function principalOf({
  person,
  project,
  clientIp,
  requestId,
  signal,
}: PersonVisit): DirectCall<AccountContext>['principal'] {
  const permissions = { read: true, write: false };
  const limited = project === undefined ? {} : { projectId: project.id };
  return {
    account: {
      accountId: person.account.id,
      credential: {
        kind: 'session',
        id: person.session.id,
        ...limited,
        ...(project !== undefined && { project: { id: project.id, name: project.name, slug: project.slug } }),
      },
      permissions,
      clientIp,
      requestId,
      signal,
    },
    subject: person.account.id,
    credentialId: person.session.id,
    permissions,
    ...limited,
  };
}

/** The tables of the tokeniser are large, so they are loaded when somebody first looks at the catalog. */
async function countTokens(text: string): Promise<number> {
  const { countTokens: count } = await import('gpt-tokenizer/encoding/o200k_base');
  // A description may spell a special token; it is text like any other.
  return count(text, { disallowedSpecial: new Set() });
}
