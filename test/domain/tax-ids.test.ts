import { describe, expect, it } from 'vitest';
import { cnpjCheckDigits } from '../../src/domain/check-digits.ts';
import { detectCompanyKey, formatTaxId, legalPersonText, parseCompanyKey } from '../../src/domain/company.ts';
import { isCpf } from '../../src/domain/personal-ids.ts';
import {
  companiesOfCutRut,
  FIRST_LEGAL_PERSON,
  formatCnpj,
  formatRut,
  readCnpj,
  readNit,
  readRut,
  rutOfNumber,
} from '../../src/domain/tax-id.ts';
import { rows, said } from './tax-id-reading.ts';

describe('CNPJ', () => {
  it.each([
    ['12ABC34501DE', '35'],
    ['00000000E08G', '12'],
    ['191312430001', '97'],
    ['000000000001', '91'],
    ['1234567890AB', '04'],
  ])('has check digits of %s = %s', (base, digits) => {
    expect(cnpjCheckDigits(base)).toBe(digits);
  });

  it.each(['12.ABC.345/01DE-35', '12abc34501de35', ' 12 ABC 345 01DE 35 ', 'CNPJ: 12.abc.345/01de-35', '12.ABC.345/01DE–35'])(
    'reads %j',
    (text) => {
      expect(readCnpj(text)).toBe('12ABC34501DE35');
    },
  );

  it.each([
    'CNPJ nº 31.000.001/0001-60',
    'CNPJ/MF nº 31.000.001/0001-60',
    'CNPJ-MF: 31000001000160',
    'C.N.P.J. 31.000.001/0001-60',
    'CGC/MF 31.000.001/0001-60',
    'CNPJ número 31000001000160',
    'CNPJ Nro. 31000001000160',
    'CNPJ No 31000001000160',
    'CNPJ - 31000001000160',
    'CNPJ (31.000.001/0001-60)',
    'BR31000001000160',
  ])('is read behind its label: %j', (text) => {
    expect(readCnpj(text)).toBe('31000001000160');
    expect(detectCompanyKey(text)).toEqual({ country: 'BR', taxId: '31000001000160' });
  });

  it('of letters is read, also where its first ones are a label or a word for "number"', () => {
    for (const base of ['NO1A2B3C0001', 'CNPJNO1A0001', 'BRA1B2C30001']) {
      const cnpj = base + cnpjCheckDigits(base);
      expect([cnpj, formatCnpj(cnpj), `CNPJ ${cnpj}`, `CNPJ nº ${formatCnpj(cnpj)}`].map(readCnpj)).toEqual(Array(4).fill(cnpj));
    }
  });

  it('says which check digits were expected', () => {
    expect(said(readCnpj('12ABC34501DE45'))).toEqual({ problem: 'The check digits of this CNPJ should be 35, not 45.' });
  });

  it.each(['', '00000000000000', '123', '1234567890123', '12ABC34501DEA5', '529.982.247-25', '12*BC34501DE35'])('refuses %j', (text) => {
    expect(readCnpj(text)).toHaveProperty('problem');
  });

  it.each(['NIT1A2B30001', 'RUT000000001', 'CNPJ00000001'])('keeps letters that look like a label: %s', (base) => {
    expect(readCnpj(base + cnpjCheckDigits(base))).toBe(base + cnpjCheckDigits(base));
    expect(readCnpj(`CNPJ ${base}${cnpjCheckDigits(base)}`)).toBe(base + cnpjCheckDigits(base));
  });

  // Numbers that passed through a spreadsheet or a numeric column: https://github.com/cuducos/minha-receita/issues/222,
  // https://github.com/bndes/bndestoken/issues/27, https://github.com/GRMagic/Sefaz/issues/29
  it.each([
    ['1234567000195', '01234567000195'],
    ['123456000149', '00123456000149'],
    ['12345000165', '00012345000165'],
    ['1.234.568/0001-30', '01234568000130'],
    ['CNPJ 1.234.568/0001-30', '01234568000130'],
    ['12.345/0001-65', '00012345000165'],
    ['="01234567000195"', '01234567000195'],
    ["'01234567000195", '01234567000195'],
    ['\u201901234567000195', '01234567000195'],
    ['31000001000160.0', '31000001000160'],
    ['31000001000160,00', '31000001000160'],
    ['31.000.001.000.160,00', '31000001000160'],
    ['1234567000195.0', '01234567000195'],
    ['\u00a01234567000195\u200b', '01234567000195'],
    ['１２３４５６７０００１９５', '01234567000195'],
    ['1234567000195.', '01234567000195'],
    ['031000001000160', '31000001000160'],
    ['3.1000001000160E+13', '31000001000160'],
    ['3.100000100016e13', '31000001000160'],
    ['3,10000010001600E+13', '31000001000160'],
  ])('with lost zeros, or as a spreadsheet writes it, is read: %j', (text, cnpj) => {
    expect(readCnpj(text)).toBe(cnpj);
  });

  it.each([
    ['1234567000196', /^13 digits: .*If a left zero is missing, its check digits should be 95, not 96/],
    ['123456000140', /^12 digits: .*If 2 left zeros are missing/],
    ['311000001000160', /^15 digits: one too many/],
    ['11222333', /^A CNPJ has 12 .*This has 8 digits/],
    ['52998224725', /^11 digits: this is a CPF, the id of a person/],
    ['529.982.247-25', /^11 digits: this is a CPF/],
    ['529.982.247-26', /^11 digits: this is a CPF/],
    ['CPF: 529.982.247-25', /^11 digits: this is a CPF/],
    ['1,2345678901E+13', /rounded/],
    ['1.23E+13', /rounded/],
    ['3.1000001000161E+13', /rounded/],
    ['3.1000001000160E-13', /rounded/],
    ['0000000000000', /repeated/],
    ['11111111111', /repeated/],
  ])('is refused with what would cure it: %j', (text, problem) => {
    expect(said(readCnpj(text))).toEqual({ problem: expect.stringMatching(problem) });
  });

  it('with additional zeros is not read from the number of a process, nor from a CPF', () => {
    const ofProcess = `00058.000123/2024-${cnpjCheckDigits('580001232024')}`;
    const cpf = `001234567${cnpjCheckDigits('000001234567')}`;
    expect(isCpf(cpf)).toBe(true);
    for (const text of [ofProcess, `0000${cpf}`]) expect(readCnpj(text), text).toHaveProperty('problem');
  });

  it('is written with its mask', () => {
    expect(formatCnpj('12ABC34501DE35')).toBe('12.ABC.345/01DE-35');
  });

  it('agrees with every published vector', () => {
    for (const [base = '', digits] of rows('brazil/cnpj/alnum_check_digits.csv')) expect(cnpjCheckDigits(base)).toBe(digits);
  });
});

describe('RUT', () => {
  it.each([
    ['96.505.760-9', '965057609'],
    ['60803000-k', '60803000K'],
    ['RUT: 76.371.864-6', '763718646'],
    ['076.012.551-2', '760125512'],
    ['R.U.T. 96.505.760-9', '965057609'],
    ['R.U.T.: 96505760-9', '965057609'],
    ['RUT Nº: 96.505.760-9', '965057609'],
    ['RUT número 96.505.760-9', '965057609'],
    ['RUT-60803000-K', '60803000K'],
    ['9.65057609E8', '965057609'],
  ])('reads %j', (text, bare) => {
    expect(readRut(text)).toBe(bare);
  });

  it('that lost one digit of its number may be that of each company that has the others in their order, and its check digit', () => {
    const without = (rut: string, i: number): string => rut.slice(0, i) + rut.slice(i + 1);
    const PLACES = Array.from({ length: 8 }, (_, i) => i);
    for (let number = FIRST_LEGAL_PERSON; number < 100_000_000; number += 99_991) {
      const rut = rutOfNumber(number);
      for (const cut of PLACES.map((i) => without(rut, i))) {
        const companies = companiesOfCutRut(cut);
        expect(companies, cut).toContain(rut);
        expect(companies.filter((one) => readRut(one) !== one || Number(one.slice(0, -1)) < FIRST_LEGAL_PERSON)).toEqual([]);
        expect(companies.filter((one) => !PLACES.some((i) => without(one, i) === cut))).toEqual([]);
      }
    }
  });

  it('says which check digit was expected', () => {
    expect(said(readRut('76.123.456-7'))).toEqual({ problem: 'The check digit of this RUT should be 0, not 7.' });
  });

  it('is written with dots and dash', () => {
    expect(formatRut('965057609')).toBe('96.505.760-9');
    expect(formatRut('94')).toBe('9-4');
  });

  it('agrees with every published vector', () => {
    const isRepeated = (text: string) => /^(.)\1+$/.test(text.replace(/\W/g, ''));
    const vectors = rows('chile-colombia/rut_vectors.csv').filter(([input = '']) => input !== '96505760' && !isRepeated(input));
    for (const [input = '', canonical = '', valid] of vectors) {
      expect(said(readRut(input)), input).toEqual(valid === '1' ? canonical.replace('-', '') : { problem: expect.any(String) });
    }
  });
});

describe('a RUT or a NIT that nobody has, or from a spreadsheet', () => {
  it.each(['0-0', '00.000.000-0', '000000000', '11.111.111-1', '77777777-7'])('as a RUT, %s is refused', (text) => {
    expect(said(readRut(text))).toEqual({ problem: expect.stringMatching(/^A RUT/) });
  });

  it.each(['000000000', '0000000000', '111111111', '111.111.111-9', '9999999994'])('as a NIT, %s is refused', (text) => {
    expect(said(readNit(text))).toEqual({ problem: expect.stringMatching(/^A NIT/) });
  });

  it.each([
    ['="76.123.456-0"', '761234560'],
    ['761234560.0', '761234560'],
    ["'76123456-0", '761234560'],
    ['76123456\u22120', '761234560'],
  ])('as a RUT, %j is read', (text, rut) => {
    expect(readRut(text)).toBe(rut);
  });

  it.each([
    ['900964705.0', '9009647055'],
    ['9009647055,00', '9009647055'],
    ['="16215230-1"', '162152301'],
  ])('as a NIT, %j is read', (text, nit) => {
    expect(readNit(text)).toBe(nit);
  });

  it('is refused where it is valid with decimals of zero and without them', () => {
    expect(said(readRut('76000093.0'))).toEqual({ problem: expect.stringMatching(/with them and without them/) });
  });
});

describe('a company key', () => {
  it.each([
    ['11.222.333/0001-81', 'BR', '11222333000181'],
    ['12abc34501de35', 'BR', '12ABC34501DE35'],
    ['76.371.864-6', 'CL', '763718646'],
    ['80.014.751-4', 'CL', '800147514'],
    ['900.964.705-5', 'CO', '9009647055'],
    ['900964705', 'CO', '9009647055'],
    ['1234567000195', 'BR', '01234567000195'],
    ['12345000165', 'BR', '00012345000165'],
    ['1.234.568/0001-30', 'BR', '01234568000130'],
    ['31000001000160.0', 'BR', '31000001000160'],
    ['761234560.0', 'CL', '761234560'],
    ['0009009647055', 'CO', '9009647055'],
    ['9009647055.0', 'CO', '9009647055'],
  ])('is detected in %j', (text, country, taxId) => {
    expect(detectCompanyKey(text)).toEqual({ country, taxId });
  });

  it('is not guessed from a number that is both a RUT and a listed NIT', () => {
    expect(() => detectCompanyKey('800147514')).toThrow(/say which country/);
    expect(parseCompanyKey('CO', '800147514')).toEqual({ country: 'CO', taxId: '8001475148' });
  });

  it('is not guessed from a number whose zeros are part of a CNPJ, or stand before an id of another country', () => {
    expect(() => detectCompanyKey('0000000000191')).toThrow(/say which country/);
    expect(parseCompanyKey('BR', '0000000000191').taxId).toBe('00000000000191');
  });

  it('says that eleven digits are the id of a person', () => {
    expect(() => detectCompanyKey('529.982.247-25')).toThrow(/this is a CPF/);
  });

  it.each(['', 'ACME', '123', '11.222.333/0001-80'])('refuses %j with INVALID_INPUT', (text) => {
    expect(() => detectCompanyKey(text)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
  });

  it('names a legal person by its root: branches together, check digits aside', () => {
    expect(legalPersonText(parseCompanyKey('BR', '11222333000262'))).toBe('BR:11222333');
    expect(legalPersonText(parseCompanyKey('CO', '9009647055'))).toBe('CO:900964705');
    expect(legalPersonText(parseCompanyKey('CL', '80.014.751-4'))).toBe('CL:800147514');
  });

  it('is formatted with its punctuation', () => {
    expect(formatTaxId({ country: 'CO', taxId: '9009647055' })).toBe('900.964.705-5');
  });
});
