import assert from 'node:assert/strict';
import { emptyDatabaseUrl, emptyFolder, overmind } from '../support/process.ts';

describe('operator commands', function () {
  this.timeout(120_000);
  let settings: Record<string, string>;

  before(async () => {
    settings = { DATA_DIR: await emptyFolder(), DATABASE_URL: await emptyDatabaseUrl() };
  });

  const json = async (args: readonly string[]) => {
    const { code, stdout, stderr } = await overmind([...args, '--json'], settings);
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  };

  it('make projects and keys, list them without secrets, and revoke them', async () => {
    assert.ok((await json(['migrate'])).applied.length > 0);
    const project = await json(['project', 'create', 'Support agent', '--account', 'me@example.com']);
    assert.equal(project.slug, 'support-agent');
    assert.deepEqual(await json(['project', 'list']), [project]);
    const options = [
      '--project',
      'support-agent',
      '--read-only',
      '--expires',
      '30',
      '--allow-ip',
      '10.0.0.0/8',
      '127.0.0.1',
    ];
    const { key, ...made } = await json(['key', 'create', 'laptop', ...options]);
    assert.match(key, /^ovr_[A-Za-z0-9_-]{43}$/);
    assert.equal(made.project_id, project.id);
    assert.deepEqual(made.permissions, ['read']);
    assert.deepEqual(made.allowed_ips, ['10.0.0.0/8', '127.0.0.1']);
    const listed = await json(['key', 'list']);
    assert.deepEqual(listed, [made]);
    assert.ok(!JSON.stringify(listed).includes(key.slice(12)));
    assert.notEqual((await json(['key', 'revoke', made.prefix])).revoked_at, null);
  });

  it('end with 1 for what is refused and 2 for what was said wrong', async () => {
    const code = async (...args: string[]) => (await overmind(args, settings)).code;
    assert.equal(await code('key', 'revoke', 'ovr_nonsense'), 1);
    assert.equal(await code('nonsense'), 2);
    assert.equal(await code('key', 'create'), 2);
  });

  it('explain themselves and every setting, without colour where nobody sees it', async () => {
    const { code, stdout } = await overmind(['--help']);
    assert.equal(code, 0);
    for (const word of ['serve', 'work', 'migrate', 'doctor', 'project', 'key', 'DATABASE_URL', 'METRICS_TOKEN']) {
      assert.ok(stdout.includes(word), `${word} is not explained`);
    }
    assert.match((await overmind(['--version'])).stdout, /^\d+\.\d+\.\d+\n$/);
    const doctor = await overmind(['doctor'], { ...settings, PORT: '0' });
    assert.equal(doctor.code, 0, doctor.stdout);
    assert.match(doctor.stdout, /^ok {4}migrations: /m);
    assert.ok(!doctor.stdout.includes('\u001b'));
    assert.ok(!doctor.stdout.includes(settings['DATABASE_URL'] ?? ''));
    const faulty = await overmind(['doctor', '--json'], { ...settings, PORT: 'x' });
    assert.equal(faulty.code, 1);
    assert.equal(JSON.parse(faulty.stdout).ok, false);
  });
});
