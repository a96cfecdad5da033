import type { Terminal } from '../../kernel/terminal.ts';
import { withServices } from './operate.ts';

/** Makes new signing and cookie keys; the old ones stay good for what they have signed. */
export async function rotateKeys({
  terminal,
  json,
}: {
  readonly terminal: Terminal;
  readonly json?: true;
}): Promise<void> {
  const version = await withServices(async ({ oauth }) => {
    await oauth.keys.getOrCreate();
    await oauth.keys.rotate();
    return (await oauth.keys.getOrCreate()).signing[0]?.['kid'];
  });
  if (json === true) terminal.out(JSON.stringify({ signing_key: version }));
  else terminal.out(`Rotated. The signing key is now ${String(version)}; running servers take it up within a minute.`);
}
