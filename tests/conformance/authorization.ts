import { spawn } from 'node:child_process';
import { freePort } from '../support/free-port.ts';
import { closeTestDatabases } from '../support/boot.ts';
import { consent, person, RawClient } from '../oauth/support/client.ts';
import { startOAuthServer } from '../oauth/support/server.ts';
import { openLane, ROOT } from './lane.ts';

/** The official suite's scenarios for authorization servers; the person at the browser is played here. */
const lane = await openLane();
const server = await startOAuthServer();
const who = await person(server);
const port = await freePort();
const client = await RawClient.register(server, `http://127.0.0.1:${port}/callback`);
const child = spawn(
  lane.node,
  [
    lane.conformance,
    'authorization',
    '--url',
    server.origin,
    '--client-id',
    client.id,
    '--resource',
    server.resource,
    '--port',
    String(port),
  ],
  { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] },
);
const timer = setTimeout(() => child.kill('SIGKILL'), 60_000);
let output = '';
let asked = false;
const read = (chunk: Buffer): void => {
  output += chunk.toString();
  const address = /^https?:\/\/\S+\/oauth\/authorize\?\S+$/m.exec(output)?.[0];
  if (address === undefined || asked) return;
  asked = true;
  void consent(server, who, new URL(address)).then((left) => fetch(left));
};
child.stdout.on('data', read);
child.stderr.on('data', read);
const code = await new Promise<number>((done) => {
  child.once('close', (status) => done(status ?? 1));
});
clearTimeout(timer);
process.stdout.write(output);
await server.stop();
await closeTestDatabases();
const passed = asked && code === 0;
process.stdout.write(`${passed ? '1 passed, 0 failed' : '0 passed, 1 failed'}\n`);
process.exit(passed ? 0 : 1);
