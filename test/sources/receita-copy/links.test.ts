import { createHmac, hkdfSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { QuotedLine } from '../../../src/sources/copies/quoted-rows.ts';
import { contactHashes, LINK_KINDS } from '../../../src/sources/receita-federal/copy/links.ts';
import { lineOf } from './support.ts';

const SECRET = 'a secret of this test';
const FIELDS = {
  phones: [
    [0, 1],
    [2, 3],
  ],
  email: 4,
  address: [5, 6, 7, 8, 9, 10, 11],
} as const;

interface Contacts {
  readonly phones?: readonly (readonly [area: string, number: string])[];
  readonly email?: string;
  readonly address?: readonly string[];
}

/** A line of a file with these contacts. */
function lineWith({ phones = [], email = '', address = [] }: Contacts): QuotedLine {
  const cells = [...phones.flat(), '', '', '', ''].slice(0, 4).concat(email, [...address, ...Array<string>(7).fill('')].slice(0, 7));
  const bytes = Buffer.from(lineOf(cells), 'latin1');
  const line = new QuotedLine(cells.length);
  expect(line.read(bytes, 0, bytes.length - 1)).toBe(true);
  return line;
}

const hashes = (contacts: Contacts, secret = SECRET, hash = contactHashes(secret)) => {
  const found: (readonly [kind: number, hash: string])[] = [];
  hash(lineWith(contacts), FIELDS, (kind, one) => found.push([kind, one]));
  return found;
};
const address = (street: string, postcode = '01000-999'): readonly string[] => ['RUA', street, '1', '', 'CENTRO', postcode, '7107'];

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
    { name: 'a long one of ASCII', email: `${'acao'.repeat(2_000)}@exemplo.example` },
  ])('are HMAC-SHA-256 of an e-mail address: $name', ({ email }) => {
    expect(hashes({ email })).toEqual([[LINK_KINDS.email, expected(`2:${email}`)]]);
  });

  it('are those of the digits of a phone and of the letters of an address, each once', () => {
    const same = [
      ['011', '3123-4567'],
      ['11', '31234567'],
    ] as const;
    expect(hashes({ phones: same, address: address('São João, 5º') })).toEqual([
      [LINK_KINDS.phone, expected('1:1131234567')],
      [LINK_KINDS.address, expected('3:RUA|SAOJOAO5|1||CENTRO|01000999|7107')],
    ]);
    const short = [
      ['11', '0000'],
      ['11', '99999999'],
    ] as const;
    expect(hashes({ phones: short, address: address('', '01000999') })).toEqual([]);
  });

  it.each<[string, string | null]>([
    ['Contato@Exemplo.example', 'contato@exemplo.example'],
    ['  contato@exemplo.example ', 'contato@exemplo.example'],
    ['AÇÃO@exemplo.example', 'ação@exemplo.example'],
    ['@exemplo.example', null],
    ['contato@', null],
    ['a@b@c', null],
    ['con tato@exemplo.example', null],
    ['contato', null],
  ])('read the e-mail address "%s" as %s', (email, normal) => {
    expect(hashes({ email })).toEqual(normal === null ? [] : [[LINK_KINDS.email, expected(`2:${normal}`)]]);
  });

  it.each<[readonly [string, string], string | null]>([
    [['0011', '31234567'], '1131234567'],
    [['', '31234567'], '31234567'],
    [['00', '31234567'], '31234567'],
    [['(11)', '3123 4567'], '1131234567'],
    [['11', '3123456'], null],
    [['11', '3123-456'], null],
    [['11', '1111-1111'], null],
  ])('read the phone %o as %s', (phone, normal) => {
    expect(hashes({ phones: [phone] })).toEqual(normal === null ? [] : [[LINK_KINDS.phone, expected(`1:${normal}`)]]);
  });

  it('are equal for addresses in other letter case, with accents and with punctuation', () => {
    const plain = hashes({ address: address('SAO JOAO', '01000999') });
    expect(plain).toEqual([[LINK_KINDS.address, expected('3:RUA|SAOJOAO|1||CENTRO|01000999|7107')]]);
    for (const street of ['Sao Joao', 'São João', ' SAO-JOAO. ', 'SAO  JOAO']) expect(hashes({ address: address(street) })).toEqual(plain);
  });

  it('do not depend on the one before, and differ with another secret', () => {
    const hash = contactHashes(SECRET);
    const of = (email: string) => hashes({ email }, SECRET, hash);
    const [long] = of('a-long-name-before@exemplo.example');
    const [short] = of('b@c.example');
    expect(short).toEqual([LINK_KINDS.email, expected('2:b@c.example')]);
    expect(of('a-long-name-before@exemplo.example')).toEqual([long]);
    expect(hashes({ email: 'b@c.example' }, 'another secret')).not.toEqual([short]);
  });
});
