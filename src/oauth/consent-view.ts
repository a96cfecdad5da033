import type { OAuthClientKind } from '../domain/identity/index.ts';
import { cleanName } from './client-metadata.ts';
import { scopeInWords, type ClientTrust, type ConsentView, type SignedInPerson } from './consent-port.ts';
import { isLoopbackRedirect, redirectHost } from './redirects.ts';

export interface AskedClient {
  readonly id: string;
  readonly name: string;
  readonly kind: OAuthClientKind;
}

const COST_WARNING = 'Writing can start jobs that use paid models and computing time.';
const REACH_WORDS =
  'The client reaches all your present and future projects, until you revoke it under Connections or the client gives it up.';

export function consentView(asked: {
  readonly client: AskedClient;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly path: string;
  readonly person: SignedInPerson;
  readonly csrf: string;
}): ConsentView {
  const { client, redirectUri, scopes, path, person, csrf } = asked;
  const trust = trustOf(client, redirectUri);
  return {
    clientName: cleanName(client.name),
    trust,
    trustWords: trustWords(trust, client),
    redirectHost: redirectHost(redirectUri),
    redirectUri,
    accountEmail: person.email,
    scopes: scopes.map(scopeInWords),
    ...(scopes.includes('overmind:write') && { costWarning: COST_WARNING }),
    reachWords: REACH_WORDS,
    form: { action: path, csrf, connect: 'connect', cancel: 'cancel' },
  };
}

function trustOf({ kind }: AskedClient, redirectUri: string): ClientTrust {
  if (kind === 'document') return 'document';
  return isLoopbackRedirect(redirectUri) ? 'loopback' : 'self_declared';
}

function trustWords(trust: ClientTrust, { id }: AskedClient): string {
  switch (trust) {
    case 'document':
      return `Its description is published by ${new URL(id).host}. Connect only if you trust that site.`;
    case 'loopback':
      return 'It runs on your own machine and chose its name itself. Connect only if you have just started it.';
    case 'self_declared':
      return 'It chose its name itself and nobody has checked it. Connect only if you know the address you return to.';
  }
}
