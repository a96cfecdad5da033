/**
 * The challenge of a 401. It names the header a key goes into, and deliberately is no Bearer challenge: several clients
 * answer one of those by registering themselves at an authorization server, and end in an error about that instead.
 */
export const API_KEY_CHALLENGE = 'ApiKey realm="overmind", header="X-Api-Key"';
