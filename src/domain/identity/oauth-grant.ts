/** Where a client's description comes from: it registered itself, or its id is the address of a document. */
export type OAuthClientKind = 'registered' | 'document';

/** One person's consent to one client: the family that all its codes and tokens belong to. */
export interface OAuthGrant {
  readonly id: string;
  readonly accountId: string;
  readonly clientId: string;
  readonly clientName: string;
  readonly clientKind: OAuthClientKind;
  /** Host the browser was sent back to when the person agreed. */
  readonly redirectHost: string;
  /** The one resource its tokens are good for. */
  readonly resource: string;
  readonly scopes: readonly string[];
  readonly createdAt: Date;
  readonly firstUsedAt?: Date;
  readonly lastUsedAt?: Date;
}

export type NewOAuthGrant = Omit<OAuthGrant, 'id' | 'createdAt' | 'firstUsedAt' | 'lastUsedAt'>;

/** Kept with a grant that ended, for whoever reads the table after an incident. */
export type RevocationCause = 'person' | 'client' | 'reuse';

export type OAuthTokenKind = 'code' | 'access' | 'refresh';

/** A code or token as it is stored: under the hash of its value. */
export interface StoredToken {
  readonly hash: string;
  readonly kind: OAuthTokenKind;
  readonly grantId: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** What the authorization server wants back; never holds the value. */
  readonly payload: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
  /** Absent on refresh tokens, which live until they are rotated or revoked. */
  readonly expiresAt?: Date;
  readonly consumedAt?: Date;
}

/** The person and the connection a token belongs to. */
export interface OAuthOwner {
  readonly grantId: string;
  readonly accountId: string;
}

/** What an access token says on the request that presents it. */
export interface OAuthAccess {
  readonly grantId: string;
  readonly accountId: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly resource: string;
  readonly lastUsedAt?: Date;
}
