import { hkdfSync } from 'node:crypto';
import type { QuotedLine } from '../../copies/quoted-rows.ts';
import { KeyedText, MAX_BYTES } from './keyed-text.ts';

/** Kinds of contact data by which two establishments may be linked. */
export const LINK_KINDS = { phone: 1, email: 2, address: 3 } as const;

/** Fields of a line with contact data of an establishment. They are hashed and never stored. */
interface ContactFields {
  /** At most two. */
  readonly phones: readonly (readonly [area: number, number: number])[];
  readonly email: number;
  /** Parts of the address: street type, street, number, complement, district, postcode, municipality. */
  readonly address: readonly number[];
}

/** Calls `add` with kind and hash of each contact of a line. Two equal phones are one. */
export type HashContacts = (line: QuotedLine, fields: ContactFields, add: (kind: number, hash: string) => void) => void;

const MIN_PHONE_DIGITS = 8;

/**
 * Creates the keyed hash of contacts: the first 64 bits of HMAC-SHA-256, as a signed integer. Equal contacts have equal hashes. Without
 * the secret of the installation nobody can compute the hash of a phone number and look it up. Nearly all contacts are normalised as bytes,
 * the others as strings.
 * @param secret secret of the installation (QUIPU_KEY_SECRET)
 */
export function contactHashes(secret: string): HashContacts {
  const keyed = new KeyedText(Buffer.from(hkdfSync('sha256', secret, '', 'quipu receita links', 32)));
  const ofText = (kind: number, text: string | null): string | null => (text === null ? null : keyed.ofText(`${kind}:${text}`));

  function phone(line: QuotedLine, [area, number]: readonly [number, number]): string | null {
    if (line.size(number) === 0) return null;
    if (!(line.isDigits(area) && line.isDigits(number) && fits(line, [area, number])))
      return ofText(LINK_KINDS.phone, phoneOf([line.text(area), line.text(number)]));
    if (line.size(number) < MIN_PHONE_DIGITS || isRepeated(line, number)) return null;
    begin(LINK_KINDS.phone);
    let start = line.start(area);
    while (start < line.end(area) && line.bytes[start] === ZERO) start += 1;
    for (let at = start; at < line.end(area); at += 1) keyed.push(line.bytes[at] ?? 0);
    for (let at = line.start(number); at < line.end(number); at += 1) keyed.push(line.bytes[at] ?? 0);
    return keyed.hashed();
  }

  function email(line: QuotedLine, field: number): string | null {
    if (line.size(field) === 0) return null;
    if (!line.isAscii(field) || !fits(line, [field])) return ofText(LINK_KINDS.email, emailOf(line.text(field)));
    begin(LINK_KINDS.email);
    let ats = 0;
    for (let at = line.start(field); at < line.end(field); at += 1) {
      const byte = line.bytes[at] ?? 0;
      if (byte === BLANK) return null;
      if (byte === AT) ats += 1;
      keyed.push(isCapital(byte) ? byte + TO_SMALL : byte);
    }
    const isAddress = ats === 1 && line.bytes[line.start(field)] !== AT && line.bytes[line.end(field) - 1] !== AT;
    return isAddress ? keyed.hashed() : null;
  }

  function address(line: QuotedLine, fields: readonly number[]): string | null {
    const [, street = 0, , , , postcode = 0] = fields;
    if (line.size(street) === 0 || line.size(postcode) === 0) return null;
    if (!fields.every((field) => line.isAscii(field)) || !fits(line, fields))
      return ofText(LINK_KINDS.address, addressOf(fields.map((field) => line.text(field))));
    begin(LINK_KINDS.address);
    for (let i = 0; i < fields.length; i += 1) {
      if (i > 0) keyed.push(DIVIDER);
      const field = fields[i] ?? 0;
      const end = line.end(field);
      for (let at = line.start(field); at < end; at += 1) {
        const byte = line.bytes[at] ?? 0;
        if (isCapital(byte) || isDigit(byte)) keyed.push(byte);
        else if (isCapital(byte - TO_SMALL)) keyed.push(byte - TO_SMALL);
      }
    }
    return keyed.hashed();
  }

  function begin(kind: number): void {
    keyed.begin();
    keyed.push(ZERO + kind);
    keyed.push(COLON);
  }

  return (line, fields, add) => {
    let before: string | null = null;
    for (const one of fields.phones) {
      const hash = phone(line, one);
      if (hash !== null && hash !== before) add(LINK_KINDS.phone, hash);
      before = hash ?? before;
    }
    const [mail, place] = [email(line, fields.email), address(line, fields.address)];
    if (mail !== null) add(LINK_KINDS.email, mail);
    if (place !== null) add(LINK_KINDS.address, place);
  };
}

const [ZERO, COLON, AT, BLANK, DIVIDER, TO_SMALL] = [0x30, 0x3a, 0x40, 0x20, 0x7c, 0x20];
const isCapital = (byte: number): boolean => byte >= 0x41 && byte <= 0x5a;
const isDigit = (byte: number): boolean => byte >= ZERO && byte <= 0x39;

/** True if the fields fit into the buffer of the hash, with their kind and dividers. */
const fits = (line: QuotedLine, fields: readonly number[]): boolean => {
  let size = 16;
  for (const field of fields) size += line.size(field);
  return size <= MAX_BYTES;
};

/** True for one digit that is repeated. */
function isRepeated(line: QuotedLine, field: number): boolean {
  for (let at = line.start(field) + 1; at < line.end(field); at += 1) if (line.bytes[at] !== line.bytes[at - 1]) return false;
  return true;
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
