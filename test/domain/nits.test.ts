import { describe, expect, it } from 'vitest';
import { detectCompanyKey, parseCompanyKey, readAnyCompanyKey, readPrintedCompanyKey } from '../../src/domain/company.ts';
import { nitCheckDigit, readNit } from '../../src/domain/tax-id.ts';
import { suggestedCompanyKeys } from '../../src/domain/tax-id-suggestions.ts';
import { companyId, parseNodeId } from '../../src/graphql/relay.ts';
import { rows, said } from './tax-id-reading.ts';

describe('a NIT', () => {
  it.each([
    ['900.964.705-5', '9009647055'],
    ['9009647055', '9009647055'],
    ['900964705', '9009647055'],
    ['0900964705', '9009647055'],
    ['16.215.230-1', '162152301'],
    ['N.I.T. 900.964.705-5', '9009647055'],
    ['NIT No. 900.964.705-5', '9009647055'],
    ['NIT Nro. 900964705', '9009647055'],
    ['NIT-900964705-5', '9009647055'],
    ['Nit número: 900964705', '9009647055'],
    ['NIT 900.964.705 DV 5', '9009647055'],
    ['900964705 (D.V. 5)', '9009647055'],
    ['CO900964705', '9009647055'],
    ['9.00964705E+08', '9009647055'],
  ])('reads %j', (text, bare) => {
    expect(readNit(text)).toBe(bare);
  });

  it.each(['', '12345', '900964705512', '1-2', 'NIT'])('refuses %j', (text) => {
    expect(readNit(text)).toHaveProperty('problem');
  });

  it.each(['9.0096471E+08', '9.009647E+08', '9.01E+08'])('refuses a number that a spreadsheet has rounded: %j', (text) => {
    expect(said(readNit(text))).toEqual({ problem: expect.stringMatching(/rounded/) });
  });

  it('says which check digit was expected', () => {
    expect(said(readNit('900964705-1'))).toEqual({ problem: 'The check digit of this NIT should be 5, not 1.' });
  });

  it('agrees with every published vector', () => {
    for (const [nit = '', digit] of rows('chile-colombia/nit_vectors.csv')) expect(nitCheckDigit(nit)).toBe(digit);
  });

  it.each([
    ['900964705-1', /should be 5, not 1/],
    ['1000000001', /identity card/],
    ['1900900900', /identity card/],
    ['No Definido', /^A NIT has 9 digits/],
    ['31000000', /^A NIT has 9 digits/],
  ])('is not what suppliers write in its place: %j', (text, problem) => {
    expect(said(readNit(text))).toEqual({ problem: expect.stringMatching(problem) });
  });
});

describe('ten digits without a dash', () => {
  // The last digit of the first five is the check digit of the others, as that of one card in eleven.
  it.each(['1000000003', '1.000.000.003', 'NIT 1000000003', '01000000003', '2000000006', '1000000001', '1900900900'])(
    'are the identity card of a person: %j',
    (text) => {
      expect(said(readNit(text))).toEqual({ problem: expect.stringMatching(/the identity card of a person/) });
      expect(() => parseCompanyKey('CO', text)).toThrow(/the identity card of a person/);
      expect(readAnyCompanyKey(text)).toHaveProperty('problem');
      expect(suggestedCompanyKeys(text)).toEqual({ exact: [], corrected: [] });
    },
  );

  it('are a NIT with its check digit if they begin with 8 or 9', () => {
    expect(readNit('8600026933')).toBe('8600026933');
    expect(said(readNit('8600026934'))).toEqual({ problem: expect.stringMatching(/should be 3, not 4/) });
  });

  it('are none of a number whose check digit stands apart', () => {
    for (const text of ['100000000-3', '100.000.000-3', '100000000 DV 3']) expect(readNit(text), text).toBe('1000000003');
    expect(detectCompanyKey('100000000-3')).toEqual({ country: 'CO', taxId: '1000000003' });
  });
});

describe('a tax id of a company that answers have named', () => {
  it.each([
    ['CO', '1000000003', '1000000003'],
    ['CO', ' 1000000003\t', '1000000003'],
    ['CO', '100.000.000-3', '1000000003'],
    ['CO', '8600026933', '8600026933'],
    ['CO', '0900964705', '9009647055'],
    ['CO', '900964705', '9009647055'],
    ['CL', '76371864-6', '763718646'],
    ['BR', '11.222.333/0001-81', '11222333000181'],
  ] as const)('of %s is read from %j', (country, text, taxId) => {
    expect(readPrintedCompanyKey(country, text)).toEqual({ country, taxId });
  });

  it('of Colombia with another check digit is none', () => {
    expect(readPrintedCompanyKey('CO', '1000000001')).toHaveProperty('problem');
  });
});

describe('the global id of a company', () => {
  it.each(['900964705-5', '100000000-3', '16.215.230-1'])('is that of the NIT of %s', (text) => {
    const company = parseCompanyKey('CO', text);
    expect(parseNodeId(companyId(company))).toEqual(company);
  });

  it.each(['11.222.333/0001-81', '76.371.864-6', '8.000.132-0'])('is that of %s', (text) => {
    const company = detectCompanyKey(text);
    expect(parseNodeId(companyId(company))).toEqual(company);
  });
});
