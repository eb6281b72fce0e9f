import { createHash, createHmac } from 'node:crypto';

/** Format of a secret: `sk_`, 32 random characters (190 bits) and 6 checksum characters, all in base 62 (0–9, A–Z, a–z). */

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX = 'sk_';
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const SHAPE = /^sk_[0-9A-Za-z]{38}$/;
/** Largest multiple of 62 in a byte. Larger bytes are rejected, so that all characters are equally likely. */
const BYTE_LIMIT = 248;

/** Generates a secret. @param randomBytes cryptographic source of random bytes, such as that of `node:crypto` */
export function newKey(randomBytes: (size: number) => Uint8Array): string {
  let random = '';
  while (random.length < RANDOM_LENGTH) {
    for (const byte of randomBytes(RANDOM_LENGTH - random.length)) {
      if (byte < BYTE_LIMIT) random += DIGITS.charAt(byte % DIGITS.length);
    }
  }
  return PREFIX + random + checksumOf(random);
}

/** Checks form and checksum without the database. A mistyped secret passes with a probability of 1 in 57 billion. */
export function isWellFormed(text: string): boolean {
  if (!SHAPE.test(text)) return false;
  const random = text.slice(PREFIX.length, -CHECKSUM_LENGTH);
  return text.endsWith(checksumOf(random));
}

/** Returns the first 48 bits of the SHA-256, in base 62: the last six digits. */
function checksumOf(random: string): string {
  let rest = createHash('sha256').update(random).digest().readUIntBE(0, 6);
  let digits = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i += 1) {
    digits = DIGITS.charAt(rest % DIGITS.length) + digits;
    rest = Math.floor(rest / DIGITS.length);
  }
  return digits;
}

/** Creates the keyed hash by which secrets are stored and looked up. */
export const createKeyHash =
  (secret: string) =>
  (key: string): Buffer =>
    createHmac('sha256', secret).update(key).digest();
