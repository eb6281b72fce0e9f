import { createHmac, createSecretKey, hkdfSync } from 'node:crypto';

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
  // A key object is made once: from bytes, Node would make one for each of 250 million hashes, which takes longer than the hash.
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', 'quipu receita links', 32)));
  const hash = (kind: number, text: string): readonly [number, string] => [
    kind,
    createHmac('sha256', key).update(`${kind}:${text}`).digest().readBigInt64BE(0).toString(),
  ];
  return ({ phones, email, address }) => {
    const texts = new Map<string, readonly [number, string]>();
    const add = (kind: number, text: string | null) => text !== null && texts.set(`${kind}:${text}`, hash(kind, text));
    for (const phone of phones) add(LINK_KINDS.phone, phoneOf(phone));
    add(LINK_KINDS.email, emailOf(email));
    add(LINK_KINDS.address, addressOf(address));
    return [...texts.values()];
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
  return parts
    .map((part) =>
      part
        .normalize('NFD')
        .toUpperCase()
        .replace(/[^A-Z\d]/g, ''),
    )
    .join('|');
}
