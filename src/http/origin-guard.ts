import { Refusal } from './refusal.ts';

export type OriginCheck = (origin: string | undefined) => boolean;

/**
 * Compiles allowed origins, scheme, host and port each; `*` allows all. An absent Origin passes: only browsers send
 * one, and only browsers can be tricked into calling from a foreign page.
 */
export function createOriginCheck(allowed: readonly string[]): OriginCheck {
  const every = allowed.includes('*');
  const known = new Set(allowed.map((origin) => origin.replace(/\/$/, '').toLowerCase()));
  return (origin) => origin === undefined || every || (origin !== 'null' && known.has(origin.toLowerCase()));
}

export function foreignOrigin(): Refusal {
  return new Refusal(403, 'origin_not_allowed', 'Browser pages of this origin may not call the server.');
}
