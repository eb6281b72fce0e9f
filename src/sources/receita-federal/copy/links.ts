import { hash, hkdfSync } from 'node:crypto';

/** Kinds of contact data by which two establishments may be linked. */
export const LINK_KINDS = { phone: 1, email: 2, address: 3 } as const;

/** Contact data of an establishment as the file prints them. They are hashed and never stored. */
export interface Contacts {
  readonly phones: readonly (readonly [area: string, number: string])[];
  readonly email: string;
  /** Parts of the address: street type, street, number, complement, district, postcode, municipality. */
  readonly address: readonly string[];
}

/** Returns kind and hash of each contact. */
export type HashContacts = (contacts: Contacts) => readonly (readonly [kind: number, hash: string])[];

const MIN_PHONE_DIGITS = 8;

/**
 * Creates the keyed hash of contacts: the first 64 bits of HMAC-SHA-256, as a signed integer. Equal contacts have equal hashes. Without
 * the secret of the installation nobody can compute the hash of a phone number and look it up.
 * @param secret secret of the installation (QUIPU_KEY_SECRET)
 */
export function contactHashes(secret: string): HashContacts {
  const keyed = keyedHash(Buffer.from(hkdfSync('sha256', secret, '', 'quipu receita links', 32)));
  return ({ phones, email, address }) => {
    const texts = new Map<string, number>();
    const add = (kind: number, text: string | null) => text !== null && texts.set(`${kind}:${text}`, kind);
    for (const phone of phones) add(LINK_KINDS.phone, phoneOf(phone));
    add(LINK_KINDS.email, emailOf(email));
    add(LINK_KINDS.address, addressOf(address));
    return Array.from(texts, ([text, kind]) => [kind, keyed(text)] as const);
  };
}

/** Bytes of a block of SHA-256. */
const BLOCK = 64;
const [INNER_PAD, OUTER_PAD] = [0x36, 0x5c];
/** Bytes of a text that need no new buffer. */
const SHORT = 1_024;

/**
 * Creates HMAC-SHA-256 (RFC 2104), of which the first 64 bits are returned. A month has 250 million contacts: an object of `createHmac` and
 * a buffer for its digest take four times as long as these two hashes.
 * @param key of at most 64 bytes
 */
function keyedHash(key: Buffer): (text: string) => string {
  const [inner, outer] = [Buffer.alloc(BLOCK + SHORT, INNER_PAD), Buffer.alloc(BLOCK + 32, OUTER_PAD)];
  for (const [i, byte] of key.entries()) {
    inner[i] = byte ^ INNER_PAD;
    outer[i] = byte ^ OUTER_PAD;
  }
  const first = Buffer.alloc(8);
  return (text) => {
    const isShort = text.length * 3 <= SHORT; // a UTF-16 unit has three bytes at most
    const message = isShort
      ? inner.subarray(0, BLOCK + inner.write(text, BLOCK))
      : Buffer.concat([inner.subarray(0, BLOCK), Buffer.from(text)]);
    outer.write(hash('sha256', message, 'binary'), BLOCK, 'binary');
    first.write(hash('sha256', outer, 'binary').slice(0, first.length), 'binary');
    return first.readBigInt64BE(0).toString();
  };
}

function phoneOf([area, number]: readonly [string, string]): string | null {
  const local = number.replace(/\D/g, '');
  return local.length < MIN_PHONE_DIGITS || /^(\d)\1*$/.test(local) ? null : `${area.replace(/\D/g, '').replace(/^0+/, '')}${local}`;
}

function emailOf(email: string): string | null {
  const text = email.toLowerCase();
  return /^[^@\s]+@[^@\s]+$/.test(text) ? text : null;
}

/** Normalises an address; null without a street or a postcode. */
function addressOf(parts: readonly string[]): string | null {
  const [, street = '', , , , postcode = ''] = parts;
  if (street === '' || postcode === '') return null;
  // The fields of a line contain no line break, so one pass is enough for all parts.
  return parts
    .join('\n')
    .normalize('NFD')
    .toUpperCase()
    .replace(/[^A-Z\d\n]+/g, '')
    .replaceAll('\n', '|');
}
