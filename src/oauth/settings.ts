/** What the public address decides; every process of an installation has the same. */
export interface OAuthAddresses {
  /** Scheme and authority, without a path or last slash: the issuer. */
  readonly origin: string;
  /** The one spelling of the protected resource that is stored and compared. */
  readonly resource: string;
}

/** The boundary people consent to; the contract's finer scopes belong to one of the two permissions. */
export const OAUTH_SCOPES = ['overmind:read', 'overmind:write'] as const;
export type OAuthScope = (typeof OAUTH_SCOPES)[number];
/** What a client gets that does not say what it wants. */
export const DEFAULT_SCOPE: OAuthScope = 'overmind:read';

export const MAX_BODY_BYTES = 16_384;
export const INTERACTION_SECONDS = 600;
export const CODE_SECONDS = 120;
/** For what has no end of its own where the library wants a number. */
export const FAR_SECONDS = 20 * 365 * 86_400;

/** The canonical spelling when the text is it with or without the last slash; undefined for everything else. */
export function canonicalResource(text: string, { resource }: OAuthAddresses): string | undefined {
  return text === resource || `${text}/` === resource ? resource : undefined;
}
