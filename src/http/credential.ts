import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { PresentedCredential } from './inbound.ts';

const LONGEST_TOKEN = 4096;
const BEARER = /^bearer +([^\s]+) *$/i;

/** The credential a request carries; `X-Api-Key` wins. Undefined when there is none that could be one. */
export function presentedCredential(headers: IncomingHttpHeaders): PresentedCredential | undefined {
  const key = headers['x-api-key'];
  if (typeof key === 'string' && key !== '') return present('x-api-key', key);
  const authorization = headers.authorization;
  if (authorization === undefined) return undefined;
  const token = BEARER.exec(authorization)?.[1];
  return token === undefined ? undefined : present('bearer', token);
}

function present(source: PresentedCredential['source'], token: string): PresentedCredential | undefined {
  return token.length > LONGEST_TOKEN ? undefined : { source, token, sha256: hash('sha256', token, 'hex') };
}
