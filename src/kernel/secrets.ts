import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const FORMAT = 'v1';

export function sha256(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Compares in a time that depends on neither content nor length of the secret: both sides are hashed first. */
export function equalsInConstantTime(left: string, right: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}

/** A random token as base64url; 32 bytes make 43 characters. */
export function randomToken(bytes = 32): string {
  return randomBytes(bytes).toString('base64url');
}

export function hmacSha256(key: string | Uint8Array, text: string | Uint8Array): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

/** Derives a 32-byte key for one purpose, so that one configured secret never serves two uses. */
export function deriveKey(secret: string | Uint8Array, purpose: string): Buffer {
  return hmacSha256(secret, `key:${purpose}`);
}

/**
 * Encrypts with AES-256-GCM. `context` names the place the text is stored in (such as a row id); the same words are
 * needed to decrypt, so a ciphertext moved to another row is refused.
 */
export function encrypt(key: Uint8Array, plaintext: string, context: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
  const body = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
  return `${FORMAT}.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')}`;
}

/** The plaintext; throws when the key, the context or a single bit differs. */
export function decrypt(key: Uint8Array, sealed: string, context: string): string {
  const [format, encoded] = sealed.split('.', 2);
  if (format !== FORMAT || encoded === undefined) throw new Error('The stored secret has an unknown format.');
  const bytes = Buffer.from(encoded, 'base64url');
  if (bytes.length < NONCE_BYTES + TAG_BYTES) throw new Error('The stored secret is cut short.');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(context))
    .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
}
