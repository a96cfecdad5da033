import type * as library from 'oidc-provider';
import type { errors } from 'oidc-provider';

export type OAuthLibrary = typeof library;

/** The library's error classes. Handed in, because only one place loads the library, and only where OAuth is on. */
export type OAuthErrors = typeof errors;
