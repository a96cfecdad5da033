import { AppError } from '../../kernel/errors.ts';

/** A person. What they may use follows from their project memberships. */
export interface Account {
  readonly id: string;
  /** Lower case; unique. */
  readonly email: string;
  readonly isActive: boolean;
  readonly hasPassword: boolean;
  readonly createdAt: Date;
}

/** One spelling per mailbox, so that two spellings never become two accounts. */
export function requireEmail(text: string): string {
  const email = text.normalize('NFC').trim().toLowerCase();
  if (email.length > 254 || !/^[^\s@\p{C}]{1,64}@[^\s@\p{C}]+$/u.test(email)) {
    throw new AppError(
      'invalid_input',
      'The e-mail address must look like name@host and have at most 254 characters.',
      {
        fields: { email: 'not an e-mail address' },
      },
    );
  }
  return email;
}

export function requirePassword(password: string): string {
  if (password.length < 12 || password.length > 256) {
    throw new AppError('invalid_input', 'A password has 12 to 256 characters.', {
      fields: { password: 'wrong length' },
    });
  }
  return password;
}
