import assert from 'node:assert/strict';
import { decrypt, deriveKey, encrypt, equalsInConstantTime, randomToken, sha256 } from '../../src/kernel/secrets.ts';

describe('secrets', () => {
  const key = deriveKey('the secret of the installation', 'integrations');

  it('hash as SHA-256 in hex', () => {
    assert.equal(sha256('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });

  it('are compared whatever their lengths', () => {
    assert.equal(equalsInConstantTime('same', 'same'), true);
    assert.equal(equalsInConstantTime('same', 'sama'), false);
    assert.equal(equalsInConstantTime('same', 'longer than that'), false);
    assert.equal(equalsInConstantTime('', ''), true);
  });

  it('are random, url-safe and of the size asked for', () => {
    assert.match(randomToken(), /^[\w-]{43}$/);
    assert.match(randomToken(16), /^[\w-]{22}$/);
    assert.notEqual(randomToken(), randomToken());
  });

  it('come back from encryption under the same key and context, and differ each time they are sealed', () => {
    for (const plaintext of ['', 'sk-value', 'ünï😀'.repeat(1_000)]) {
      assert.equal(decrypt(key, encrypt(key, plaintext, 'row 1'), 'row 1'), plaintext);
    }
    assert.notEqual(encrypt(key, 'x', 'row 1'), encrypt(key, 'x', 'row 1'));
  });

  it('are refused under another key, in another place, or changed', () => {
    const sealed = encrypt(key, 'value', 'row 1');
    assert.throws(() => decrypt(deriveKey('the secret of the installation', 'other'), sealed, 'row 1'));
    assert.throws(() => decrypt(key, sealed, 'row 2'));
    const bytes = Buffer.from(sealed.slice(3), 'base64url');
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      assert.throws(() => decrypt(key, `v1.${changed.toString('base64url')}`, 'row 1'));
    }
    assert.throws(() => decrypt(key, 'v1.AAAA', 'row 1'), /cut short/);
    assert.throws(() => decrypt(key, 'v2.AAAA', 'row 1'), /unknown format/);
  });
});
