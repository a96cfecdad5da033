import { AppError } from '../kernel/errors.ts';

/** SQLSTATE classes and codes that say "not now" rather than "not so". */
const UNAVAILABLE_CLASSES: ReadonlySet<string> = new Set(['08', '53', '57', '58']);
const UNAVAILABLE_CODES: ReadonlySet<string> = new Set([
  '25P03', // idle in transaction for too long
  '40001', // serialization failure
  '40P01', // deadlock
  '55P03', // lock not available
]);
const UNSTORABLE_CODES: ReadonlySet<string> = new Set(['22021', '22P05']);
const STATEMENT_TOO_SLOW = '57014';
/** While it is copied, moved or kept for its operator. */
const NOT_ACCEPTING = '55000';
/** What the socket says when the server is down, restarting, or not there yet. */
const SOCKET_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);
/** The driver and the pool report these without a code. */
const LOST_CONNECTION =
  /^(Connection terminated|Connection ended|Client has encountered a connection error|timeout expired)/;
const SQLSTATE = /^[0-9A-Z]{5}$/;

/**
 * The error a caller may see for one the database, the driver or the pool raised: retryable `unavailable` when trying
 * again may help, `invalid_input` for text PostgreSQL cannot hold. Undefined for all else: constraint violations are
 * for repositories to translate, the rest are bugs.
 */
export function toAppError(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error;
  if (!(error instanceof Error)) return undefined;
  const code = codeOf(error);
  if (error.name === 'KnexTimeoutError') return unavailable('The database is busy; try again in a moment.', error);
  if (code === STATEMENT_TOO_SLOW) {
    return unavailable('The database took too long to answer; try again or ask for less.', error);
  }
  if (code !== undefined && UNSTORABLE_CODES.has(code)) {
    return new AppError('invalid_input', 'The text holds a character that cannot be stored (U+0000); remove it.', {
      cause: error,
    });
  }
  if (isUnavailable(code) || LOST_CONNECTION.test(withoutSql(error.message))) {
    return unavailable('The database does not answer; try again in a moment.', error);
  }
  return undefined;
}

/** The same for an error on the way to a connection, where a database that takes none at the moment says so as "not so". */
export function toConnectError(error: unknown): AppError | undefined {
  if (sqlState(error) !== NOT_ACCEPTING || !(error instanceof Error)) return toAppError(error);
  return unavailable('The database does not answer; try again in a moment.', error);
}

/** True when the connection that raised the error is of no use any more. */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error);
  if (code === undefined) return LOST_CONNECTION.test(withoutSql(error.message));
  return SOCKET_CODES.has(code) || /^(57P0[1-5]|08...|25P03)$/.test(code);
}

/** The five-character SQLSTATE, when the error carries one. */
export function sqlState(error: unknown): string | undefined {
  const code = error instanceof Error ? codeOf(error) : undefined;
  return code !== undefined && SQLSTATE.test(code) ? code : undefined;
}

/** knex puts the statement in front of the server's words; both are for the log, the words alone are for a decision. */
function withoutSql(message: string): string {
  const at = message.lastIndexOf(' - ');
  return at < 0 ? message : message.slice(at + 3);
}

function isUnavailable(code: string | undefined): boolean {
  if (code === undefined) return false;
  if (SOCKET_CODES.has(code) || UNAVAILABLE_CODES.has(code)) return true;
  return SQLSTATE.test(code) && UNAVAILABLE_CLASSES.has(code.slice(0, 2));
}

function unavailable(message: string, cause: Error): AppError {
  return new AppError('unavailable', message, { cause });
}

function codeOf(error: Error): string | undefined {
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
