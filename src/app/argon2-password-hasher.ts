import type { PasswordHasher } from '../domain/identity/index.ts';

/** 19 MiB and two passes: about 50 ms per hash here, the smaller of the two profiles OWASP names for argon2id. */
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** The native module is loaded with the first password, so that a server without sign-ins never pays for it. */
export const argon2PasswordHasher: PasswordHasher = {
  async hash(password) {
    const argon2 = await import('@node-rs/argon2');
    return argon2.hash(password, OPTIONS);
  },
  async verify(hash, password) {
    const argon2 = await import('@node-rs/argon2');
    return argon2.verify(hash, password, OPTIONS);
  },
};
