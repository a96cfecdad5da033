import assert from 'node:assert/strict';
import { createRedactor, isSecretName, REDACTED } from '../../src/kernel/redact.ts';

const redactor = createRedactor();

describe('isSecretName', () => {
  it('knows secrets however their names are written', () => {
    for (const name of [
      'accessToken',
      'private-key',
      'REFRESH.TOKEN',
      'x-api-key',
      'http.request.header.authorization',
      'set-cookie',
      'client_secret',
      'db_password',
      'AWS_SECRET_ACCESS_KEY',
      'token',
    ])
      assert.equal(isSecretName(name), true, name);
  });

  it('spares measurements and words that only contain such a name', () => {
    for (const name of [
      'total_tokens',
      'max_tokens',
      'prompt_tokens',
      'time_to_first_token',
      'next_token',
      'secretary',
      'cookies_enabled',
      'passwordless',
      'key',
      'tokenizer',
      'auth',
    ])
      assert.equal(isSecretName(name), false, name);
  });
});

describe('Redactor.value', () => {
  it('removes secrets by name at any depth and keeps what stands beside them', () => {
    const value = {
      apiKey: 'k1',
      list: [{ 'REFRESH.TOKEN': 'r', kept: 1 }],
      'private-key': { pem: 'p' },
      total_tokens: 7,
      has_password: true,
    };
    assert.deepEqual(redactor.value(value), {
      apiKey: REDACTED,
      list: [{ 'REFRESH.TOKEN': REDACTED, kept: 1 }],
      'private-key': REDACTED,
      total_tokens: 7,
      has_password: true,
    });
  });

  it('marks cuts in depth, breadth, strings and size where they happen', () => {
    const deep = redactor.value({ a: { b: { c: 1 } } }, { maxDepth: 2 });
    assert.deepEqual(deep, { a: { b: '[cut: too deep]' } });
    assert.deepEqual(redactor.value([1, 2, 3, 4], { maxBreadth: 2 }), [1, 2, '[cut 2 more items]']);
    assert.deepEqual(redactor.value({ a: 1, b: 2, c: 3 }, { maxBreadth: 1 }), { a: 1, '…': '[cut 2 more members]' });
    assert.equal(redactor.value('x'.repeat(30), { maxString: 10 }), `${'x'.repeat(10)}… [cut 20 characters]`);
    const large = JSON.stringify(
      redactor.value(
        Array.from({ length: 90 }, () => 'y'.repeat(1000)),
        { maxBytes: 5000 },
      ),
    );
    assert.ok(large.length < 6000);
    assert.match(large, /cut/);
  });

  it('never cuts a character in half, wherever the limit falls', () => {
    for (let prefix = 0; prefix < 4; prefix++) {
      const cut = redactor.value(`${'a'.repeat(prefix)}${'🎉'.repeat(40)}`, { maxString: 21 });
      assert.ok(typeof cut === 'string' && !/\p{Surrogate}/u.test(cut), String(cut));
    }
  });

  it('finds a secret that lies across the cut', () => {
    const text = `${'z'.repeat(95)} sk_live_51H8abcdEFGHijkl`;
    const cut = redactor.value(text, { maxString: 105 });
    assert.ok(typeof cut === 'string' && !cut.includes('51H8'));
  });

  it('turns errors, dates, bytes and big integers into plain JSON without their insides', () => {
    const error = Object.assign(new Error('failed with Bearer abcdefghijkl'), {
      config: { headers: { authorization: 'x' } },
    });
    assert.deepEqual(redactor.value({ error, at: new Date(0), raw: Buffer.from('abc'), n: 10n, f: () => 1 }), {
      error: { name: 'Error', message: `failed with Bearer ${REDACTED}` },
      at: '1970-01-01T00:00:00.000Z',
      raw: '[3 bytes]',
      n: '10',
      f: null,
    });
  });
});

describe('Redactor.text', () => {
  it('takes secrets out of running text', () => {
    const cases = [
      '401 from api: key sk_live_51H8abcdEFGHijkl rejected',
      'authorization: Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc',
      'authorization: Bearer eyJhbGciOi',
      'export OPENAI_API_KEY=sk-proj-abcdefghijklmnop1234',
      'push with ghp_abcdefghijklmnopqrst1234 please',
      'AKIAIOSFODNN7EXAMPLE and more',
      'postgres://user:hunter22@db.example/x',
      '{"password": "hunter22"}',
      '-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----',
      'Cookie: session=abcdef123456',
    ];
    const canaries = /51H8abcd|eyJ|sk-proj|ghp_|AKIAIOSF|hunter22|MIIabc|abcdef123456/;
    for (const text of cases) assert.doesNotMatch(redactor.text(text), canaries, text);
    assert.equal(
      redactor.text('401 from api: key sk_live_51H8abcdEFGHijkl rejected'),
      `401 from api: key ${REDACTED} rejected`,
    );
  });

  it('leaves ordinary prose and links alone', () => {
    for (const text of [
      'The token count was 12.',
      'Basic usage of bearer bonds',
      'see https://example.com/a:b?key=1',
      'max_tokens: 4096',
      'task-force-one-two-three-four',
    ])
      assert.equal(redactor.text(text), text);
  });

  it('takes further shapes from its project', () => {
    assert.equal(createRedactor([/\bacme_[a-z]{8,}/g]).text('use acme_abcdefghij now'), `use ${REDACTED} now`);
  });

  it('stays linear on hostile text', () => {
    const start = performance.now();
    for (const unit of ['eyJ.', '://a:', 'Bearer ', '-----BEGIN PRIVATE KEY-----', 'password=', 'sk-'])
      redactor.text(unit.repeat(20_000));
    assert.ok(performance.now() - start < 4000);
  });
});
