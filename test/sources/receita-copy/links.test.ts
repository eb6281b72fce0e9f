import { createHmac, hkdfSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Contacts, contactHashes, LINK_KINDS } from '../../../src/sources/receita-federal/copy/links.ts';

const SECRET = 'a secret of this test';
const none: Contacts = { phones: [], email: '', address: [] };
const hashes = (contacts: Partial<Contacts>, secret = SECRET) => contactHashes(secret)({ ...none, ...contacts });
const address = (street: string, postcode = '01000-999'): Contacts['address'] => ['RUA', street, '1', '', 'CENTRO', postcode, '7107'];

/** Computes a hash as the standard library does. */
function expected(text: string): string {
  const key = Buffer.from(hkdfSync('sha256', SECRET, '', 'quipu receita links', 32));
  return createHmac('sha256', key).update(text).digest().readBigInt64BE(0).toString();
}

describe('the hashes of contacts', () => {
  it.each([
    { name: 'a short one', email: 'contato@exemplo.example' },
    { name: 'one with letters of two bytes', email: 'ação@exemplo.example' },
    { name: 'a long one', email: `${'ação'.repeat(2_000)}@exemplo.example` },
  ])('are HMAC-SHA-256 of an e-mail address: $name', ({ email }) => {
    expect(hashes({ email })).toEqual([[LINK_KINDS.email, expected(`2:${email}`)]]);
  });

  it('are those of the digits of a phone and of the letters of an address, each once', () => {
    const phones = [
      ['011', '3123-4567'],
      ['11', '31234567'],
      ['11', '0000'],
      ['11', '99999999'],
    ] as const;
    expect(hashes({ phones, address: address('São João, 5º') })).toEqual([
      [LINK_KINDS.phone, expected('1:1131234567')],
      [LINK_KINDS.address, expected('3:RUA|SAOJOAO5|1||CENTRO|01000999|7107')],
    ]);
    expect(hashes({ address: address('', '01000999') })).toEqual([]);
  });

  it('do not depend on the one before, and differ with another secret', () => {
    const hash = contactHashes(SECRET);
    const [long] = hash({ ...none, email: 'a-long-name-before@exemplo.example' });
    const [short] = hash({ ...none, email: 'b@c.example' });
    expect(short).toEqual([LINK_KINDS.email, expected('2:b@c.example')]);
    expect(hash({ ...none, email: 'a-long-name-before@exemplo.example' })).toEqual([long]);
    expect(hashes({ email: 'b@c.example' }, 'another secret')).not.toEqual([short]);
  });
});
