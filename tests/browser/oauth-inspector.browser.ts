import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { openLane } from '../conformance/lane.ts';
import { mcp } from '../oauth/support/client.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { emptyFolder } from '../support/process.ts';
import { launch } from './chromium.ts';
import { Installation } from './installation.ts';
import { keepPicture } from './shots.ts';

const CLIENT = 'MCP Inspector';

/** The official Inspector with its own web page, aimed at one server. */
class Inspector {
  readonly #child: ChildProcess;
  #said = '';

  constructor(child: ChildProcess) {
    this.#child = child;
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => (this.#said += text));
  }

  static async start(url: URL): Promise<Inspector> {
    const lane = await openLane();
    const { PATH = '' } = process.env;
    const args = [lane.inspector, '--web', '--server-url', url.href, '--transport', 'http'];
    return new Inspector(
      spawn(lane.node, args, {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: {
          PATH,
          HOME: await emptyFolder(),
          MCP_AUTO_OPEN_ENABLED: 'false',
          MCP_INSPECTOR_SECRET_STORE: 'memory',
          CLIENT_PORT: String(await freePort()),
          MCP_SANDBOX_PORT: String(await freePort()),
        },
      }),
    );
  }

  /** Its page, with the token that lets this browser in. */
  address(): Promise<string> {
    return eventually(
      () => /http:\/\/\S+MCP_INSPECTOR_API_TOKEN=\w+/.exec(this.#said)?.[0] ?? assert.fail(this.#said),
      { withinMs: 40_000, everyMs: 100 },
    );
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const ended = once(this.#child, 'close');
    this.#child.kill('SIGKILL');
    await ended;
  }
}

describe('OAuth in a browser, for the Inspector', function () {
  // Chromium, a server and the Inspector of its own on a busy machine, and the first fetch of the latter.
  this.timeout(300_000);
  let browser: Browser;
  let installation: Installation;

  before(async () => {
    await openLane();
    browser = await launch();
    installation = await Installation.start(browser);
  });
  after(async () => {
    await browser.close();
    await installation.stop();
  });

  const walk = async (context: BrowserContext, page: Page): Promise<void> => {
    await page.getByRole('switch').first().click({ force: true });
    await page.waitForURL(`${installation.origin}/sign-in**`);
    await installation.signIn(page);
    await installation.consent(page, { client: CLIENT, writes: false });
    await page.getByText('Authentication succeeded.').waitFor();

    await page.getByText('Tools', { exact: true }).first().click();
    await choose(page, 'list_projects');
    await run(page);
    await page.getByText('Structured Output').waitFor();
    assert.ok((await page.locator('body').innerText()).includes(installation.projectId));
    await page.getByRole('button', { name: 'Close results' }).click();

    await choose(page, 'create_dataset_from_traces');
    await page.getByRole('textbox', { name: 'project_id' }).fill(installation.projectId);
    await page.getByRole('textbox', { name: 'name' }).first().fill('From the Inspector');
    await page.getByRole('textbox', { name: 'search', exact: true }).fill('handle');
    await run(page);
    const question = page.getByRole('dialog');
    await question.getByText('overmind:write').first().waitFor();
    await keepPicture(page, 'inspector-step-up');
    await question.getByRole('button', { name: 'Authorize' }).click();
    await installation.consent(page, { client: CLIENT, writes: true });
    await page.getByText('Step-up authorization succeeded.').waitFor();
    await run(page);
    // Only a call that may write gets as far as looking for traces.
    await page.getByText('no_traces').first().waitFor();
    await page.getByRole('button', { name: 'Close results' }).click();

    const rotations = await installation.countRotations();
    await installation.letAccessTokensExpire();
    await choose(page, 'list_projects');
    await run(page);
    await page.getByText('Structured Output').waitFor();
    assert.ok((await installation.countRotations()) > rotations, 'the Inspector did not refresh');
    await page.getByRole('button', { name: 'Close results' }).click();

    await installation.revoke(context, CLIENT);
    await run(page);
    // Neither its access token nor its refresh token is good for anything now, so it has to ask the person again.
    await page.waitForURL(`${installation.origin}/oauth/interaction/**`);
    await page.getByRole('heading', { name: `Connect ${CLIENT}?` }).waitFor();
  };

  for (const path of ['/api/mcp', '/api/mcp/'])
    it(`takes its page at ${path} from a 401 over sign-in, consent and step-up to revocation`, async () => {
      assert.equal((await mcp({ origin: installation.origin }, undefined, 'tools/list', {}, path)).status, 401);
      const inspector = await Inspector.start(new URL(path, installation.origin));
      const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
      context.setDefaultTimeout(60_000);
      try {
        const page = await context.newPage();
        await page.goto(await inspector.address());
        await walk(context, page);
      } finally {
        await context.close();
        await inspector.stop();
      }
    });
});

async function choose(page: Page, tool: string): Promise<void> {
  await page.getByText(tool, { exact: true }).first().click();
}

async function run(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Execute Tool' }).click();
}
