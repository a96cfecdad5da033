import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { addressesOf } from '../../src/app/addresses.ts';
import { ConfigError, loadConfig } from '../../src/app/config.ts';
import { settingLines, settingsHelp, settingsMarkdown } from '../../src/app/settings-table.ts';

function faultsOf(environment: Record<string, string>) {
  try {
    loadConfig(environment);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.faults;
  }
  return assert.fail(`${JSON.stringify(environment)} must be refused`);
}

describe('loadConfig', () => {
  it('works with nothing set and is frozen', () => {
    const config = loadConfig({});
    assert.equal(config.port, 8_000);
    assert.equal(config.host, '127.0.0.1');
    assert.equal(config.dataDir, '.data');
    assert.equal(config.databaseUrl, undefined);
    assert.deepEqual(config.allowedHosts, ['localhost', '127.0.0.1', '[::1]']);
    assert.equal(config.publishOutputSchema, 'compact');
    assert.equal(config.mcpFastLane, true);
    assert.ok(Object.isFrozen(config));
  });

  it('takes a blank variable for an absent one', () => {
    assert.deepEqual(loadConfig({ PORT: ' ', MCP_SERVER_URL: '', ALLOWED_HOSTS: '' }), loadConfig({}));
  });

  const bad: readonly (readonly [string, string])[] = [
    ['PORT', '80a'],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '8000.5'],
    ['HOST', 'x'.repeat(256)],
    ['MCP_SERVER_URL', 'https://example.com/mcp'],
    ['MCP_SERVER_URL', 'http://example.com/api/mcp/'],
    ['MCP_SERVER_URL', 'https://user@example.com/api/mcp/'],
    ['MCP_SERVER_URL', 'https://example.com/api/mcp/?a=b'],
    ['FRONTEND_URL', 'console.example.com'],
    ['FRONTEND_URL', 'ftp://example.com'],
    ['DATABASE_URL', 'mysql://localhost/x'],
    ['OBJECT_STORE_URL', 'https://bucket.s3.amazonaws.com'],
    ['OBJECT_STORE_URL', 's3://bucket/../x'],
    ['OBJECT_STORE_CREDENTIALS', 'id-without-secret'],
    ['ALLOWED_HOSTS', 'http://example.com'],
    ['ALLOWED_HOSTS', 'example.com:8000'],
    ['ALLOWED_ORIGINS', 'example.com'],
    ['ALLOWED_ORIGINS', 'https://example.com/path'],
    ['TRUSTED_PROXIES', '10.0.0.0/33'],
    ['TRUSTED_PROXIES', 'proxy.local'],
    ['PUBLISH_OUTPUT_SCHEMA', 'some'],
    ['MCP_FAST_LANE', 'maybe'],
    ['LOG_LEVEL', 'loud'],
    ['MODEL_PROVIDER_URL', 'localhost:1234'],
  ];
  for (const [name, value] of bad) {
    it(`refuses ${name}=${value.slice(0, 40)}, naming the setting and a value that works`, () => {
      const faults = faultsOf({ [name]: value });
      assert.deepEqual(
        faults.map((fault) => fault.name),
        [name],
      );
      assert.match(faults[0]?.message ?? '', new RegExp(`^${name} is .+; it must be .+For example: ${name}=.+`));
      const example = /For example: \w+=(.+)$/.exec(faults[0]?.message ?? '')?.[1];
      assert.doesNotThrow(() => loadConfig({ [name]: example }));
    });
  }

  it('names every fault at once and never shows a secret', () => {
    const faults = faultsOf({ PORT: 'x', LOG_LEVEL: 'y', DATABASE_URL: 'mysql://root:hunter2@localhost/x' });
    assert.deepEqual(
      faults.map((fault) => fault.name),
      ['PORT', 'DATABASE_URL', 'LOG_LEVEL'],
    );
    assert.ok(!JSON.stringify(faults).includes('hunter2'));
  });

  it('gives the MCP address one spelling', () => {
    for (const path of ['/api/mcp', '/api/mcp/']) {
      assert.equal(
        loadConfig({ MCP_SERVER_URL: `https://Example.com${path}` }).mcpServerUrl,
        'https://example.com/api/mcp/',
      );
    }
    assert.ok(loadConfig({ MCP_SERVER_URL: 'http://127.0.0.1:8000/api/mcp/' }).mcpServerUrl);
  });
});

describe('addressesOf', () => {
  it('names a server that listens everywhere by an address that works', () => {
    const of = (environment: Record<string, string>) => addressesOf(loadConfig(environment), 8_001);
    assert.equal(of({ HOST: '0.0.0.0' }).mcpUrl, 'http://localhost:8001/api/mcp/');
    assert.equal(of({ HOST: '::1' }).mcpUrl, 'http://[::1]:8001/api/mcp/');
    const proxied = of({ MCP_SERVER_URL: 'https://example.com/api/mcp' });
    assert.deepEqual(proxied, {
      origin: 'https://example.com',
      mcpUrl: 'https://example.com/api/mcp/',
      frontendUrl: 'https://example.com',
    });
  });
});

describe('the settings table', () => {
  it('is the only place of the server that reads the environment; the command hands its own on', () => {
    const root = resolve(import.meta.dirname, '../../src');
    const readers = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && readFileSync(join(root, file), 'utf8').includes('process.env'))
      .sort();
    assert.deepEqual(readers, ['app/config.ts', 'cli/main.ts']);
  });

  it('gives every setting to help and to the documentation, and hides secrets', () => {
    const lines = settingLines({ DATABASE_URL: 'postgres://root:hunter2@localhost/x', PORT: '9000' });
    assert.equal(lines.find(({ name }) => name === 'DATABASE_URL')?.value, '(set)');
    assert.equal(lines.find(({ name }) => name === 'PORT')?.value, '9000');
    for (const { name, meaning } of lines) {
      assert.ok(settingsHelp().includes(name) && settingsHelp().includes(meaning));
      assert.ok(settingsMarkdown().includes(`| \`${name}\` |`));
    }
  });
});
