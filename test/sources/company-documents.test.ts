import { describe, expect, it } from 'vitest';
import { cnpjOf, madeUpCpf } from '../../sandbox/world/brazil/company.ts';
import { cnpjCheckDigits } from '../../src/domain/check-digits.ts';
import { isCpf } from '../../src/domain/personal-ids.ts';
import { formatCnpj } from '../../src/domain/tax-id.ts';
import { ceisSpec } from '../../src/modules/debarment/source.ts';
import { trabalhoEscravoSpec } from '../../src/modules/labor/source.ts';
import { holderKeys, holderOf, UNREADABLE_ROWS } from '../../src/sources/registry/company-documents.ts';
import { ListFileError } from '../../src/sources/registry/list-file.ts';
import { readBytes } from '../support/read-list.ts';

const CEIS_HEADER = [
  ...['CADASTRO', 'CÓDIGO DA SANÇÃO', 'TIPO DE PESSOA', 'CPF OU CNPJ DO SANCIONADO', 'NOME DO SANCIONADO', 'NÚMERO DO PROCESSO'],
  ...['CATEGORIA DA SANÇÃO', 'DATA INÍCIO SANÇÃO', 'DATA FINAL SANÇÃO', 'ÓRGÃO SANCIONADOR'],
].join(';');
/** Eleven digits that are a CPF by their check digits, and a CNPJ with three zeros before them. */
function ambiguousDigits(): string {
  for (let n = 0; n < 1_000_000; n += 1) {
    const digits = `${n + 12_345}`.padStart(5, '0').concat('0001');
    const cnpj = `000${digits}${cnpjCheckDigits(`000${digits}`)}`;
    if (cnpj.length === 14 && isCpf(cnpj.slice(3))) return cnpj.slice(3);
  }
  throw new Error('there is none');
}

/** A made-up CPF that starts with one zero. */
function withLeadingZero(): string {
  for (let n = 0; n < 100_000; n += 1) if (/^0[1-9]/.test(madeUpCpf(n))) return madeUpCpf(n);
  const body = '012345678';
  for (let check = 0; check < 100; check += 1) {
    const cpf = body + String(check).padStart(2, '0');
    if (isCpf(cpf)) return cpf;
  }
  throw new Error('there is none');
}

const LABOR_HEADER =
  'ID;Ano da ação fiscal;UF;Empregador;CNPJ/CPF;Estabelecimento;Trabalhadores envolvidos;CNAE;Decisão administrativa de procedência;Inclusão no Cadastro de Empregadores';

const roots = Array.from({ length: 200 }, (_, i) => `44${String(i).padStart(6, '0')}`);
const numbers = roots.map((root) => cnpjOf(root));

/** A first CEIS of companies alone with these documents. */
const ceis = (documents: readonly string[], type = 'J') =>
  readBytes(ceisSpec, {
    '20260930_CEIS.csv': [CEIS_HEADER, ...documents.map((document, i) => `CEIS;${i};${type};${document};N;P;Suspensão;01/02/2024;;B`)].join(
      '\r\n',
    ),
  });
const labor = (documents: readonly string[]) =>
  readBytes(trabalhoEscravoSpec, {
    'lista.csv': [
      LABOR_HEADER,
      ...documents.map((document, i) => `${i + 1};2023;MG;E;${document};SITIO, UBERABA/MG;1;0134-2/00;14/03/2024;07/10/2024`),
    ].join('\r\n'),
  });
/** The documents with one in every `nth` damaged. */
const damagedOneIn = (nth: number, all: readonly string[], damage: (document: string) => string) =>
  all.map((document, i) => (i % nth === 0 ? damage(document) : document));

const DAMAGES: readonly (readonly [string, (document: string) => string])[] = [
  ['emptied', () => ''],
  ['cut', (document) => document.slice(0, 9)],
  ['cut to the length of a CPF', (document) => document.replace(/\D/g, '').slice(0, 11)],
  ['in scientific notation', () => '1,23E+13'],
  ['in scientific notation of fourteen characters', () => '1.2345678901E+13'],
  ['with a wrong digit', (document) => `${document.slice(0, -1)}${(Number(document.at(-1)) + 1) % 10}`],
];

describe('documents of Brazilian lists', () => {
  describe.each(DAMAGES)('%s', (_, damage) => {
    it('UP-03 CEIS is refused on a first load for three in ten of them', async () => {
      await expect(ceis(damagedOneIn(3, numbers, damage))).rejects.toThrow(ListFileError);
    });

    it('UP-03 CEIS is refused for two in a hundred of them', async () => {
      await expect(ceis(damagedOneIn(50, numbers, damage))).rejects.toThrow(ListFileError);
    });

    it('UP-03 the list of employers is refused for one in ten of them', async () => {
      await expect(labor(damagedOneIn(10, numbers.map(formatCnpj), damage))).rejects.toThrow(ListFileError);
    });
  });

  it('are matched by root where only the check digits are damaged, and counted where nothing is left', async () => {
    const wrong = `${numbers[0]?.slice(0, -1)}${(Number(numbers[0]?.at(-1)) + 1) % 10}`;
    const one = await ceis([wrong, ...numbers.slice(1)]);
    expect(one.entries).toHaveLength(200);
    expect(one.entries[0]).toMatchObject({ keys: [`BR:${roots[0]}`, UNREADABLE_ROWS], record: { document: wrong } });
    expect(one.version).toMatchObject({ rowsSkipped: 0, rowsUnmatched: 0 });

    const none = await ceis(['', ...numbers.slice(1)]);
    expect(none.version).toMatchObject({ rowsRead: 200, rowsSkipped: 1, rowsUnmatched: 1 });

    const cut = await labor(['44.000.000/00', ...numbers.slice(1).map(formatCnpj)]);
    expect(cut.entries[0]).toMatchObject({ keys: ['BR:44000000', UNREADABLE_ROWS], record: { document: '4400000000' } });
    expect(cut.version).toMatchObject({ rowsUnmatched: 0 });
  });

  // https://github.com/allanbmartins/Projeto_ETL_RFB_IBGE_ANP/issues/7, https://github.com/cuducos/minha-receita/issues/222
  it.each([
    ['1234568000130', 'BR:01234568'],
    ['1.234.568/0001-30', 'BR:01234568'],
    ['123456000149', 'BR:00123456'],
    ['12345000165', 'BR:00012345'],
    ['"=""01234568000130"""', 'BR:01234568'],
    ['1234568000130.0', 'BR:01234568'],
    ['1.234.568/0001-31', 'BR:01234568'],
  ])('that have lost their zeros name their company: %s', async (document, key) => {
    const [inCeis, inLabor] = await Promise.all([ceis([document, ...numbers]), labor([document, ...numbers.map(formatCnpj)])]);
    for (const { entries, version } of [inCeis, inLabor]) {
      expect(entries[0]?.keys[0]).toBe(key);
      expect(version).toMatchObject({ rowsSkipped: 0, rowsUnmatched: 0 });
    }
  });

  it('in scientific notation without their last digits are not printed with zeros in their place', () => {
    expect(holderOf('4,40000000001E+13', 'J')).toEqual({ kind: 'unreadable' });
    expect(holderOf('4,4000000000167E+13', 'J')).toEqual({ kind: 'company', cnpj: '44000000000167', damaged: false });
  });

  it.each([
    'CNPJ/MF 44.000.000/0001-67',
    'C.N.P.J. 44.000.000/0001-67',
    'INSCRITA NO CNPJ SOB O Nº 44000000000167',
    '[44000000000167]',
    '44000000000167 MATRIZ',
    'Â\u00a044000000000167',
    'EMPRESA FICTÍCIA44000000000167',
    '11.222.333/0001-81 / 44.000.000/0001–67',
    '11222333000181;44000000000167',
    '44 000 000 0001 67 (matriz)',
    '44.000.000.0001-67 FILIAL',
    'Nº 44000000/0001-67',
    '44.000.000/0001 - 67 (matriz)',
    '4,4000000000167E+13',
    '4.4000000000167E13',
  ])('that are within other text name their companies: %s', async (text) => {
    expect(numbers[0]).toBe('44000000000167');
    for (const type of ['J', 'F', '', null])
      expect(holderKeys(holderOf(text, type))?.keys, String(type)).toEqual([
        ...(text.startsWith('11') ? ['BR:11222333'] : []),
        'BR:44000000',
      ]);
  });

  it('that stand in the column of the name name their company, and no id within a name replaces a readable one', () => {
    for (const type of ['J', 'F', '', null]) {
      expect(holderOf('EMPRESA FICTÍCIA LTDA', type, '44.000.000/0001-67')).toMatchObject({ cnpj: '44000000000167', damaged: false });
      expect(holderOf('', type, 'EMPRESA FICTÍCIA LTDA - CNPJ 44000000000167')).toMatchObject({ cnpj: '44000000000167' });
      expect(holderOf('11222333000181', type, '44.000.000/0001-67')).toMatchObject({ cnpj: '11222333000181' });
      expect(holderOf('***.456.789-**', type === 'J' ? null : type, '44.000.000/0001-67')).toMatchObject({ kind: 'person' });
    }
  });

  it('that are damaged in the column of the name, or within other text, count for their root', () => {
    for (const type of ['J', 'F', '', null])
      for (const [cell, name] of [
        ['EMPRESA FICTÍCIA LTDA', '44.000.000/0001-68'],
        ['', 'EMPRESA FICTÍCIA LTDA - CNPJ 44.000.000/0001-68'],
        ['INSCRITA COM 44.000.000/0001-68', 'EMPRESA FICTÍCIA LTDA'],
      ] as const)
        expect(holderKeys(holderOf(cell, type, name))?.keys, cell).toEqual(['BR:44000000', UNREADABLE_ROWS]);
  });

  it('that are within other text beside a damaged one name both companies, and the damaged one may be another', () => {
    const holder = holderOf('11.222.333/0001-80 e 44.000.000/0001-67', 'J');
    expect(holder).toEqual({ kind: 'company', cnpj: '44000000000167', damaged: true, also: ['11222333000180'] });
    expect(holderKeys(holder)?.keys).toEqual(['BR:44000000', 'BR:11222333', UNREADABLE_ROWS]);
  });

  it.each(['12345678/0001', '12.345.678/0001', '12345678/0001-9'])('without check digits have a root that may be wrong: %s', (document) => {
    expect(holderKeys(holderOf(document, 'J'))?.keys).toEqual(['BR:12345678', UNREADABLE_ROWS]);
  });

  it('without their left zero and with a slash before the check digits are read', () => {
    expect(holderOf('1.234.568.0001/30', 'J')).toEqual({ kind: 'company', cnpj: '01234568000130', damaged: false });
  });

  it('beside other text show no more than a CNPJ, because a CPF may follow', () => {
    expect(holderOf('11.222.333/52998224725', 'J')).toEqual({ kind: 'company', cnpj: '11222333529982', damaged: true });
    for (const text of ['12345678/52998224725', 'SERVICOS/TRANSPORTES']) expect(holderOf(text, 'J')).toEqual({ kind: 'unreadable' });
  });

  it('without check digits are not padded to the id of another company', () => {
    const root = Array.from({ length: 1_000 }, (_, i) => String(12_345_000 + i)).find((start) => {
      const base = `00${start}0001`;
      return cnpjCheckDigits(base.slice(0, 12)) === base.slice(12);
    });
    expect(holderOf(`${root}/0001`, 'J')).toMatchObject({ cnpj: `${root}0001`, damaged: true });
  });

  it.each(['12.345.678', '12345678', '1,23457E+13', '4,40000000001E+13', 'ENTIDADE 12345'])(
    'that no check digits decide leave a row with its name, whatever its type of person: %s',
    async (document) => {
      for (const type of ['J', 'F', '']) {
        const { entries, version } = await ceis([document, ...numbers], type);
        expect(entries[0], type).toMatchObject({ keys: [UNREADABLE_ROWS], record: { document: '', name: 'N' } });
        expect(version.rowsUnmatched).toBe(1);
      }
    },
  );

  it('that are unreadable beside no name refuse the file, unless it is one row', async () => {
    const nameless = (count: number) =>
      readBytes(ceisSpec, {
        '20260930_CEIS.csv': [
          CEIS_HEADER,
          ...numbers.map((number, i) => `CEIS;${i};J;${number};N;P;Suspensão;01/02/2024;;B`),
          ...Array.from({ length: count }, (_, i) => `CEIS;${i + 900};F;;-;P;Suspensão;01/02/2024;;B`),
        ].join('\r\n'),
      });
    expect((await nameless(1)).version).toMatchObject({ rowsSkipped: 1, rowsUnmatched: 1 });
    await expect(nameless(2)).rejects.toThrow('beside no name');
  });

  it('of eleven digits are those of a person, unless the list says that it is a company and the check digits agree', () => {
    const noCpf = '12345000165';
    expect(holderOf(noCpf, 'J')).toMatchObject({ kind: 'company', cnpj: '00012345000165' });
    expect(holderOf(noCpf, 'F')).toMatchObject({ kind: 'unreadable' });
    const ambiguous = ambiguousDigits();
    expect(holderOf(ambiguous, 'J')).toMatchObject({ kind: 'company', cnpj: `000${ambiguous}` });
    for (const type of ['F', '', null]) expect(holderOf(ambiguous, type)).toMatchObject({ kind: 'person' });
    expect(holderOf(madeUpCpf(345_678_901), 'J')).toEqual({ kind: 'unreadable' });
  });

  it('of people that have lost a zero are masked', () => {
    const cpf = withLeadingZero();
    for (const type of ['F', null]) expect(holderOf(cpf.slice(1), type)).toEqual({ kind: 'person', cpf: `***${cpf.slice(3, 9)}**` });
    expect(holderOf(`CPF: ${cpf}`, 'F')).toEqual({ kind: 'person', cpf: `***${cpf.slice(3, 9)}**` });
  });

  it.each(['0', '00', '000', '0123', '00000000', '000000000', '00000000000', '000.000.000-00', '0.0', '00000000000000', '11111111111'])(
    'that are cut to a few digits, or one repeated digit, are unreadable: %s',
    async (document) => {
      for (const type of ['F', 'J', null]) expect(holderOf(document, type), String(type)).toEqual({ kind: 'unreadable' });
      expect(['unreadable', 'unidentified']).toContain(holderOf(document, '').kind);
      const { entries, version } = await ceis([document, ...numbers]);
      expect([entries[0]?.keys, version.rowsUnmatched]).toEqual([[UNREADABLE_ROWS], 1]);
    },
  );

  it('of people are not shown in full, padded to the length of a CNPJ', () => {
    const cpf = '01234567890';
    const masked = '***345678**';
    for (const type of ['F', '', null]) expect(holderOf(`000${cpf}`, type), String(type)).toEqual({ kind: 'person', cpf: masked });
    expect(holderOf(`000${cpf}`, 'J')).toEqual({ kind: 'unreadable' });
  });

  it.each(['CIC 529.982.247-25', 'DOC 52998224725', 'C.I.C. 529.982.247-25', 'IDENT: 52998224725'])(
    'of people are masked behind letters: %s',
    (text) => {
      for (const type of ['F', '', null]) expect(holderOf(text, type), String(type)).toEqual({ kind: 'person', cpf: '***982247**' });
      expect(holderOf(text, 'J')).toEqual({ kind: 'unreadable' });
    },
  );

  it('of people do not count as unreadable, whether masked or in full', async () => {
    const people = Array.from({ length: 150 }, (_, i) => madeUpCpf(500 + i));
    const masked = people.map((cpf) => `***.${cpf.slice(3, 6)}.${cpf.slice(6, 9)}-**`);
    expect((await ceis([...people, ...masked], 'F')).version).toMatchObject({ rowsRead: 300, rowsSkipped: 0, rowsUnmatched: 0 });
  });

  it('of nobody identified count as unmatched; a file with many of them is refused', async () => {
    const row = (document: string, type: string, i: number) => `CEIS;${i};${type};${document};N;P;Suspensão;01/02/2024;;B`;
    const file = (odd: number) =>
      readBytes(ceisSpec, {
        '20260930_CEIS.csv': [
          CEIS_HEADER,
          ...numbers.map((number, i) => row(number, 'J', i)),
          ...Array.from({ length: odd }, (_, i) => row(`999000${i % 10}`, '', 1000 + i)),
        ].join('\r\n'),
      });
    expect((await file(12)).version).toMatchObject({ rowsSkipped: 12, rowsUnmatched: 12 });
    await expect(file(100)).rejects.toThrow(ListFileError);
  });
});
