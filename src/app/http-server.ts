import { openPort, type HttpServer } from '../http/open-port.ts';
import { ConfigError, type Config } from './config.ts';

/** Opens the port of the settings; when it cannot be had, says which setting to change. */
export async function listen({ host, port }: Pick<Config, 'host' | 'port'>): Promise<HttpServer> {
  try {
    return await openPort({ host, port });
  } catch (error) {
    throw explainListen(error, host, port);
  }
}

function explainListen(error: unknown, host: string, port: number): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const where = `${host}:${port}`;
  switch (code) {
    case 'EADDRINUSE':
      return fault('PORT', `${where} is in use. Stop the other server or choose another port, for example PORT=8001.`);
    case 'EACCES':
      return fault('PORT', `${where} may not be opened by this user. Choose a port above 1023, for example PORT=8000.`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return fault('HOST', `${host} is no address of this machine. For example: HOST=127.0.0.1`);
    default:
      return error;
  }
}

function fault(name: string, words: string): ConfigError {
  return new ConfigError([{ name, message: `${name}: ${words}` }]);
}
