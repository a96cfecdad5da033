import { isIP } from 'node:net';
import { acceptMetadata } from './client-metadata.ts';
import type { FetchDocument } from './guarded-fetch.ts';

const MAX_DOCUMENT_BYTES = 5_120;

/**
 * Whether a client id may be looked up as a document at all: https on the usual port, a host by name, and a path, so
 * that the id is one page of a site and not the site.
 */
export function isDocumentId(clientId: string): boolean {
  if (clientId.length > 1_024 || !URL.canParse(clientId)) return false;
  const url = new URL(clientId);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (url.protocol !== 'https:' || url.port !== '' || url.pathname === '/' || url.search !== '') return false;
  return isIP(host) === 0 && host.includes('.') && !host.endsWith('.localhost') && !host.endsWith('.local');
}

/**
 * A `fetch` for the authorization server that only ever gets client documents, and gives them on in the form this
 * server serves. A document that names a client secret or another way to authenticate is not for it.
 */
export function createDocumentFetch(
  fetchDocument: FetchDocument,
): (input: string | URL | Request) => Promise<Response> {
  return async (input) => {
    const id = input instanceof Request ? input.url : String(input);
    const fetched = await fetchDocument(new URL(id), MAX_DOCUMENT_BYTES);
    if (fetched.status !== 200) return new Response(null, { status: 502 });
    const document: unknown = JSON.parse(fetched.body);
    const accepted = acceptMetadata(document);
    if ('fault' in accepted || !isPublicClient(document)) return new Response(null, { status: 502 });
    const body = JSON.stringify({ ...accepted.metadata, client_id: documentId(document) });
    return new Response(body, { headers: { 'content-type': 'application/json', ...fetched.headers } });
  };
}

function isPublicClient(document: unknown): boolean {
  if (typeof document !== 'object' || document === null || 'client_secret' in document) return false;
  return !('token_endpoint_auth_method' in document) || document.token_endpoint_auth_method === 'none';
}

function documentId(document: unknown): unknown {
  return typeof document === 'object' && document !== null && 'client_id' in document ? document.client_id : undefined;
}
