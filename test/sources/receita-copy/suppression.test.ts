import { createHmac, hkdfSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { QuotedLine } from '../../../src/sources/copies/quoted-rows.ts';
import { type Suppressed, suppressing, suppressionHash } from '../../../src/sources/receita-federal/copy/suppression.ts';
import { type Cells, company, establishment, lineOf, partner } from './support.ts';

const SECRET = 'a secret of this test';
const hash = suppressionHash(SECRET);
const ANA = { kind: 'person', name: 'Ana de Tal', document: '***000101**' } as const;
const ROOT = '99100000';
const COMPANY = { kind: 'company', root: ROOT } as const;

function filterOf(...all: readonly Suppressed[]) {
  const hashesOf = (kind: Suppressed['kind']) => new Set(all.filter((one) => one.kind === kind).map(hash));
  return suppressing({ companies: hashesOf('company'), people: hashesOf('person') }, hash);
}

function read(cells: Cells): QuotedLine {
  const bytes = Buffer.from(lineOf(cells), 'latin1');
  const line = new QuotedLine(cells.length);
  expect(line.read(bytes, 0, bytes.length - 1)).toBe(true);
  return line;
}

const textsOf = (line: QuotedLine): Cells => Array.from({ length: line.columns }, (_, field) => line.text(field));

describe('the hash of what an operator has erased', () => {
  it.each([
    ['a company', COMPANY, `company:${ROOT}`],
    ['a person, by letters and masked CPF', { ...ANA, name: 'Ána  d’e Tal', document: '52998224725' }, 'person:ANADETAL:***982247**'],
    ['a person with a long name', { ...ANA, name: 'ana '.repeat(500) }, `person:${'ANA'.repeat(500)}:***000101**`],
  ] as const)('is HMAC-SHA-256: %s', (_, one, text) => {
    const key = Buffer.from(hkdfSync('sha256', SECRET, '', 'quipu receita suppressions', 32));
    expect(hash(one)).toBe(createHmac('sha256', key).update(text).digest('hex').slice(0, 32));
  });
});

describe('the filter of the lines of an import', () => {
  it('is none while nothing is erased', () => {
    expect(filterOf()).toBeUndefined();
  });

  it('leaves out every line of an erased company, and no other', () => {
    const suppress = filterOf(COMPANY);
    for (const root of [ROOT, ROOT, '99100001', ROOT]) {
      expect(suppress?.('Empresas', read(company(root)))).toBe(root !== ROOT);
      expect(suppress?.('Estabelecimentos', read(establishment(root)))).toBe(root !== ROOT);
      expect(suppress?.('Socios', read(partner(root)))).toBe(root !== ROOT);
    }
  });

  it('makes name and CPF of an erased partner or representative empty, and no other field', () => {
    const suppress = filterOf(ANA);
    const cells = partner(ROOT, 'ÁNA DE TAL', { 7: '***000101**', 8: 'ANA DE  TAL' });
    const line = read(cells);
    expect(suppress?.('Socios', line)).toBe(true);
    expect(textsOf(line)).toEqual(cells.map((cell, field) => ([2, 3, 7, 8].includes(field) ? '' : cell)));
  });

  it.each([
    ['of another name', partner(ROOT, 'BIA DE TAL')],
    ['with another CPF', partner(ROOT, 'ANA DE TAL', { 3: '***000102**' })],
    ['that is a company', partner(ROOT, 'ANA DE TAL', { 1: '1', 3: '99100001' })],
  ])('leaves a partner %s', (_, cells) => {
    const line = read(cells);
    expect(filterOf(ANA)?.('Socios', line)).toBe(true);
    expect(textsOf(line)).toEqual(cells);
  });

  it('finds a person whose fields have blanks, NULs or a complete CPF', () => {
    const person = { ...ANA, document: '***982247**' };
    for (const document of ['52998224725', ' ***982247**', '***982247**\0', '  52998224725 ']) {
      const line = read(partner(ROOT, ' ANA\0 DE  TAL', { 3: document }));
      filterOf(person)?.('Socios', line);
      expect([line.text(2), line.text(3)], document).toEqual(['', '']);
    }
  });

  it('removes the same as a plain comparison of hashes of all fields', () => {
    const name = fc.constantFrom('ANA DE TAL', 'ÂNA DE TAL', 'BIA', '', ' ');
    const document = fc.constantFrom('***000101**', '***000102**', '52998224725', '99100001', '***000000**', '', ' ***000101**');
    const everyone = [ANA, { ...ANA, name: 'BIA', document: '52998224725' }] as const;
    const hashes = new Set<string>(everyone.map(hash));
    const suppress = filterOf(...everyone);
    fc.assert(
      fc.property(name, document, name, document, (owner, cpf, representative, other) => {
        const cells = partner(ROOT, owner, { 3: cpf, 7: other, 8: representative });
        const before = textsOf(read(cells));
        const isErased = (of: number, by: number) =>
          hashes.has(hash({ kind: 'person', name: before[of] ?? '', document: before[by] ?? '' }));
        const line = read(cells);
        suppress?.('Socios', line);
        const cleared = [...(isErased(2, 3) ? [2, 3] : []), ...(isErased(8, 7) ? [8, 7] : [])];
        expect(textsOf(line)).toEqual(before.map((text, field) => (cleared.includes(field) ? '' : text)));
      }),
    );
  });

  it.each([
    ['of an establishment while a person is erased', 'Estabelecimentos', [ANA], establishment(ROOT), []],
    ['of a partner that is a company', 'Socios', [ANA], partner(ROOT, 'X', { 3: '99100001000170' }), []],
    ['of a partner but name and CPF', 'Socios', [ANA], partner(ROOT), [2, 3]],
    ['of an establishment but its root while a company is erased', 'Estabelecimentos', [COMPANY], establishment('99100009'), [0]],
  ] as const)('converts no field to a string %s', (_, kind, erased, cells, converted) => {
    const line = read(cells);
    const text = vi.spyOn(line, 'text');
    filterOf(...erased)?.(kind, line);
    expect([...new Set(text.mock.calls.map(([field]) => field))]).toEqual(converted);
  });
});
