import assert from 'node:assert/strict';
import { newId } from '../../../src/kernel/ids.ts';
import { makeServices } from '../../support/services.ts';

const freshEmail = () => `${newId()}@example.com`;

describe('AccountsService.create', () => {
  it('stores one lower-case spelling of the address and no password unless one is given', async () => {
    const { accounts } = await makeServices();
    const email = freshEmail();
    const account = await accounts.create({ email: `  ${email.toUpperCase()} ` });
    assert.equal(account.email, email);
    assert.equal(account.hasPassword, false);
    assert.deepEqual(await accounts.findByEmail(email.toUpperCase()), account);
  });

  it('refuses a second account with the same address in another case', async () => {
    const { accounts } = await makeServices();
    const email = freshEmail();
    await accounts.create({ email });
    await assert.rejects(accounts.create({ email: email.toUpperCase() }), {
      code: 'invalid_input',
      fields: { email: 'taken' },
    });
  });

  for (const email of [
    '',
    'nobody',
    'a b@example.com',
    'a@b@',
    `${'x'.repeat(65)}@example.com`,
    'a@\u0000b',
    `a@${'b'.repeat(300)}`,
  ]) {
    it(`refuses ${JSON.stringify(email.slice(0, 20))} as an address`, async () => {
      const { accounts } = await makeServices();
      await assert.rejects(accounts.create({ email }), { code: 'invalid_input' });
    });
  }

  it('refuses a password shorter than twelve characters', async () => {
    const { accounts } = await makeServices();
    await assert.rejects(accounts.create({ email: freshEmail(), password: 'eleven chrs' }), { code: 'invalid_input' });
  });
});

describe('AccountsService.verifyPassword', () => {
  it('knows the right password, stored only as an argon2id hash', async () => {
    const { accounts, db } = await makeServices();
    const email = freshEmail();
    const account = await accounts.create({ email, password: 'correct horse battery' });
    assert.equal((await accounts.verifyPassword(email, 'correct horse battery'))?.id, account.id);
    assert.equal(await accounts.verifyPassword(email, 'correct horse batterz'), undefined);
    const row = await db('accounts').where({ id: account.id }).first('password_hash');
    assert.match(row.password_hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  it('answers nothing for unknown addresses, accounts without a password and inactive accounts', async () => {
    const { accounts } = await makeServices();
    const [bare, inactive] = [freshEmail(), freshEmail()];
    await accounts.create({ email: bare });
    const account = await accounts.create({ email: inactive, password: 'correct horse battery' });
    await accounts.setActive(account.id, false);
    for (const email of [freshEmail(), bare, inactive]) {
      assert.equal(await accounts.verifyPassword(email, 'correct horse battery'), undefined);
    }
  });
});
