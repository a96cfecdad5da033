/** Says in words why an address could not be read. */
import { quote } from './message.ts';
import { Refusal } from './refusal.ts';

const TLS =
  /^(?:CERT_|ERR_TLS|ERR_SSL|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|EPROTO$|HOSTNAME_MISMATCH|INVALID_CA|UNABLE_TO_VERIFY)/u;

const SENTENCES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'the name is not known',
  EAI_AGAIN: 'the name could not be looked up',
  ECONNRESET: 'the connection was cut',
  UND_ERR_SOCKET: 'the connection was cut',
  EHOSTUNREACH: 'the host is out of reach',
  ENETUNREACH: 'the network is out of reach',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
};

export function connectionRefusal(error: unknown, place: string): Refusal {
  if (error instanceof Refusal) return error;
  const code = codeOf(error);
  if (error instanceof DOMException || code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') {
    return new Refusal('timeout', `${place} did not answer in time.`, { cause: error });
  }
  if (TLS.test(code)) {
    return new Refusal(
      'tls',
      `The certificate or TLS set-up of ${place} cannot be trusted (${code}). Name your own authority in NODE_EXTRA_CA_CERTS; there is no way to skip the check.`,
      { cause: error },
    );
  }
  return new Refusal(
    'unreachable',
    `${place} cannot be reached: ${SENTENCES[code] ?? (code || 'the request failed')}.`,
    {
      cause: error,
    },
  );
}

function codeOf(error: unknown): string {
  for (let at = error, step = 0; at instanceof Error && step < 5; at = at.cause, step += 1) {
    if ('code' in at && typeof at.code === 'string') return at.code;
  }
  return '';
}

/** For statuses that end the reading whatever the body says; undefined when the body may still be an answer. */
export function statusRefusal(response: Response, place: string): Refusal | undefined {
  const { status, headers } = response;
  if (status >= 300 && status < 400) {
    const to = headers.get('location');
    return new Refusal(
      'redirect',
      `${place} redirects${to === null ? '' : ` to ${quote(to)}`}. Redirects are not followed, because your credentials would go along; give the final address.`,
    );
  }
  if (status === 401) {
    const challenge = headers.get('www-authenticate');
    return new Refusal(
      'unauthenticated',
      `${place} wants a credential (401${challenge === null ? ', without a challenge' : `, challenge ${quote(challenge)}`}). Give one with --header 'Authorization: Bearer …' or --grant 'name=X-Api-Key: …'.`,
    );
  }
  if (status === 403) return new Refusal('forbidden', `${place} does not let this credential in (403).`);
  if (status === 429) {
    const wait = headers.get('retry-after');
    return new Refusal(
      'rate_limited',
      `${place} asks for a slower pace (429)${wait === null ? '' : `; try again after ${quote(wait)}`}.`,
    );
  }
  if (status >= 500) return new Refusal('failed', `${place} failed with status ${status}.`);
  return undefined;
}
