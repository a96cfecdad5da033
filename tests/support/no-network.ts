import { Socket } from 'node:net';

type Connect = (this: Socket, ...parameters: unknown[]) => Socket;

/**
 * Refuses connections that would leave this machine: unix sockets and loopback pass, as does the host of the database
 * under test. A test that reaches for anything else fails with the address it wanted.
 */
export function refuseNetwork(allowedHosts: readonly string[] = []): void {
  // because connect has many overloads and only the address matters here
  const original = Reflect.get(Socket.prototype, 'connect') as Connect;
  const guarded: Connect = function (...parameters) {
    const host = hostOf(parameters);
    if (host !== undefined && !isLoopback(host) && !allowedHosts.includes(host)) {
      throw new Error(`Tests must not use the network, and this one wants to reach ${host}.`);
    }
    return original.apply(this, parameters);
  };
  Reflect.set(Socket.prototype, 'connect', guarded);
}

/** Undefined for a unix socket. */
function hostOf(parameters: readonly unknown[]): string | undefined {
  const first: unknown = parameters[0];
  // net.connect hands its parsed arguments on as one array.
  if (Array.isArray(first)) return hostOf(first);
  if (typeof first === 'object' && first !== null) {
    if ('path' in first && typeof first.path === 'string') return undefined;
    return 'host' in first && typeof first.host === 'string' ? first.host : 'localhost';
  }
  if (typeof first === 'string' && !/^\d+$/.test(first)) return undefined;
  return typeof parameters[1] === 'string' ? parameters[1] : 'localhost';
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '::1' || host.startsWith('127.');
}
