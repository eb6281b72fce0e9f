import { createHash } from 'node:crypto';

/** `sk_`, 32 random characters (190 bits) and 6 that check them; all of them 0–9, A–Z, a–z. */

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX = 'sk_';
const RANDOM_LENGTH = 32;
const CHECK_LENGTH = 6;
const SHAPE = /^sk_[0-9A-Za-z]{38}$/;
/** The largest multiple of 62 in a byte: above it some characters would come up more often. */
const FAIR_BYTES = 248;

/** A fresh key. @param randomBytes cryptographic randomness, as `node:crypto` gives it */
export function newKey(randomBytes: (size: number) => Uint8Array): string {
  let random = '';
  while (random.length < RANDOM_LENGTH) {
    for (const byte of randomBytes(RANDOM_LENGTH - random.length)) {
      if (byte < FAIR_BYTES) random += DIGITS.charAt(byte % DIGITS.length);
    }
  }
  return PREFIX + random + checkCharacters(random);
}

/** False for a text that was never a key of ours: a mistyped one, save about one in 57 thousand million. */
export function isWellFormed(text: string): boolean {
  if (!SHAPE.test(text)) return false;
  const random = text.slice(PREFIX.length, -CHECK_LENGTH);
  return text.endsWith(checkCharacters(random));
}

/** The first 48 bits of the SHA-256, in base 62, its last six digits. */
function checkCharacters(random: string): string {
  let rest = createHash('sha256').update(random).digest().readUIntBE(0, 6);
  let digits = '';
  for (let place = 0; place < CHECK_LENGTH; place += 1) {
    digits = DIGITS.charAt(rest % DIGITS.length) + digits;
    rest = Math.floor(rest / DIGITS.length);
  }
  return digits;
}
