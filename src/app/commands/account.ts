import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { AppError } from '../../kernel/errors.ts';
import { passwordLink } from '../first-run.ts';
import { table, type Terminal } from '../../kernel/terminal.ts';
import { chooseAccount, withServices } from './operate.ts';

interface AccountOptions {
  readonly terminal: Terminal;
  /** Not needed while there is only one account. */
  readonly email?: string;
  readonly json?: true;
}

export async function listAccounts({ terminal, json }: AccountOptions): Promise<void> {
  const accounts = await withServices((services) => services.accounts.list());
  if (json === true) {
    const rows = accounts.map(({ id, email, isActive, hasPassword }) => ({
      id,
      email,
      is_active: isActive,
      has_password: hasPassword,
    }));
    terminal.out(JSON.stringify(rows));
    return;
  }
  const rows = accounts.map(({ id, email, isActive, hasPassword }) => [
    id,
    isActive ? 'active' : 'inactive',
    hasPassword ? 'signs in' : 'no password',
    email,
  ]);
  terminal.out(rows.length === 0 ? 'There is no account yet.' : table([['ID', 'STATE', 'CONSOLE', 'E-MAIL'], ...rows]));
}

/** Prints a link by which the account's person sets a password; earlier links of the account stop working. */
export async function linkAccount({ terminal, email, json }: AccountOptions): Promise<void> {
  const made = await withServices(async ({ accounts, sessions, addresses }) => {
    const account = await chooseAccount(accounts, email);
    const { token, expiresAt } = await sessions.issueLink(account.id, account.hasPassword ? 'reset' : 'first_run');
    return { account, expiresAt, link: passwordLink(addresses, token) };
  });
  const until = made.expiresAt.toISOString();
  if (json === true)
    terminal.out(JSON.stringify({ email: made.account.email, setup_url: made.link, expires_at: until }));
  else terminal.out(`${made.link}\n\nOpen it once before ${until} to set the password of ${made.account.email}.`);
}

/** Sets the password that is typed, or that standard input gives, and signs every browser of the account out. */
export async function setPassword({ terminal, email }: AccountOptions): Promise<void> {
  const password = await readPassword(terminal);
  const account = await withServices(async ({ accounts, sessions }) => {
    const found = await chooseAccount(accounts, email);
    await sessions.resetPassword(found.id, password);
    return found;
  });
  terminal.out(`The password of ${account.email} is set, and all its browsers are signed out.`);
}

async function readPassword(terminal: Terminal): Promise<string> {
  if (!process.stdin.isTTY) return (await readLines(1))[0] ?? '';
  terminal.remark('New password, at least 12 characters, then the same again:');
  const [first = '', second = ''] = await readLines(2);
  if (first === second) return first;
  throw new AppError('invalid_input', 'The two passwords are not the same. Nothing was changed.');
}

/** Lines of standard input; on a terminal what is typed is not shown. */
async function readLines(count: number): Promise<readonly string[]> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: process.stdin, output: silent, terminal: process.stdin.isTTY });
  const lines: string[] = [];
  for await (const line of reader) {
    lines.push(line);
    if (lines.length === count) break;
  }
  reader.close();
  return lines;
}
