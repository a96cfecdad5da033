import type Koa from 'koa';
import { BoundedMap } from '../kernel/bounded.ts';
import { Refusal } from './refusal.ts';

const HOST = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9](?:[a-z0-9._-]{0,252}[a-z0-9])?\.?)(?::\d{1,5})?$/i;

export type HostCheck = (host: string | undefined) => boolean;

/**
 * Compiles allowed hosts: an exact name or address, `.example.com` for the name and all below it, `*` for all.
 * Ports are ignored on both sides; an IPv6 address may stand with or without brackets.
 */
export function createHostCheck(allowed: readonly string[]): HostCheck {
  const rules = allowed.map(hostRule);
  const known = new BoundedMap<string, boolean>(256);
  return (host) => {
    if (host === undefined) return false;
    const before = known.get(host);
    if (before !== undefined) return before;
    const name = hostName(host);
    const verdict = name !== undefined && rules.some((rule) => rule(name));
    known.set(host, verdict);
    return verdict;
  };
}

function hostRule(rule: string): (name: string) => boolean {
  if (rule === '*') return () => true;
  if (rule.startsWith('.')) {
    const suffix = rule.toLowerCase();
    return (name) => name === suffix.slice(1) || name.endsWith(suffix);
  }
  const bare = rule.includes(':') && !rule.startsWith('[') && rule.split(':').length > 2 ? `[${rule}]` : rule;
  const wanted = hostName(bare) ?? bare.toLowerCase();
  return (name) => name === wanted;
}

/** The name in a Host header: lower case, without port, brackets kept, without the root's dot. */
function hostName(host: string): string | undefined {
  const name = HOST.exec(host)?.[1]?.toLowerCase();
  return name?.endsWith('.') === true ? name.slice(0, -1) : name;
}

export function misdirected(): Refusal {
  return new Refusal(421, 'invalid_request', 'This server does not answer for that host name.');
}

/** Refuses requests for other hosts with 421: a page that rebinds its name to this address gets nowhere. */
export function hostGuard(check: HostCheck): Koa.Middleware {
  return (ctx, next) => {
    if (!check(ctx.req.headers.host)) throw misdirected();
    return next();
  };
}
