import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from '../../codegen/cli/run.ts';

describe('mcp-contract contains', () => {
  let folder = '';
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'contains-'));
    write('hundred.yaml', 'type: object\nproperties:\n  limit: { type: integer, maximum: 100 }\n');
    write('fifty.json', JSON.stringify({ type: 'object', properties: { limit: { type: 'integer', maximum: 50 } } }));
    write('around.json', JSON.stringify({ type: 'string', pattern: '(?<!a)b' }));
    write('boundary.json', JSON.stringify({ type: 'string', pattern: '\\bb' }));
    write('broken.yaml', 'type: [string');
    write('misspelt.yaml', 'type: interger');
    write('list.yaml', '- 1');
    write('text.yaml', 'type: string');
    write('mail.yaml', 'type: string\nformat: email');
  });
  after(() => rmSync(folder, { recursive: true }));

  function write(name: string, text: string): void {
    writeFileSync(join(folder, name), text);
  }

  async function run(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
    let [out, err] = ['', ''];
    const code = await runCli(['contains', ...argv], {
      out: (text) => (out += text),
      err: (text) => (err += text),
      color: false,
      cwd: folder,
      onStop: () => undefined,
    });
    return { code, out, err };
  }

  it('answers 0 when the new schema accepts all that the old one does', async () => {
    const { code, out } = await run('fifty.json', 'hundred.yaml');
    assert.equal(code, 0);
    assert.match(out, /^contained/);
  });

  it('answers 1 with a witness when it does not', async () => {
    const { code, out } = await run('hundred.yaml', 'fifty.json', '--json');
    assert.equal(code, 1);
    assert.deepEqual(JSON.parse(out), { verdict: 'refuted', witness: { limit: 51 } });
  });

  it('answers 4 and names the keyword when it cannot tell', async () => {
    const { code, out } = await run('around.json', 'boundary.json', '--json');
    assert.equal(code, 4);
    const answer: unknown = JSON.parse(out);
    assert.deepEqual(answer, {
      verdict: 'unknown',
      keyword: 'pattern',
      path: '/pattern',
      reason: 'the pattern looks around or uses a word boundary',
    });
  });

  it('reads formats as annotations unless told to assert them', async () => {
    assert.equal((await run('text.yaml', 'mail.yaml')).code, 0);
    assert.equal((await run('text.yaml', 'mail.yaml', '--formats', 'assert')).code, 1);
  });

  it('stops at the bound it is given', async () => {
    const { code, out } = await run('fifty.json', 'hundred.yaml', '--steps', '1');
    assert.equal(code, 4);
    assert.match(out, /budget/);
  });

  for (const [what, argv] of [
    ['a file that is not there', ['nowhere.json', 'fifty.json']],
    ['a file that is neither JSON nor YAML', ['broken.yaml', 'fifty.json']],
    ['a document that is no schema', ['misspelt.yaml', 'fifty.json']],
    ['a list', ['list.yaml', 'fifty.json']],
    ['a missing argument', ['fifty.json']],
    ['an unknown way to read formats', ['fifty.json', 'fifty.json', '--formats', 'maybe']],
  ] as const) {
    it(`answers 2 for ${what}`, async () => {
      const { code, out, err } = await run(...argv);
      assert.equal(code, 2);
      assert.equal(out, '');
      assert.notEqual(err, '');
    });
  }
});
