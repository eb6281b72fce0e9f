import { describe, expect, it } from 'vitest';
import { formatTaxId } from '../../src/domain/company.ts';
import { suggestedCompanyKeys } from '../../src/domain/tax-id-suggestions.ts';

/** The suggestions for a text: country and tax id as people write it. */
function suggested(text: string): { readonly exact: readonly string[]; readonly corrected: readonly string[] } {
  const { exact, corrected } = suggestedCompanyKeys(text);
  const shown = (keys: typeof exact) => keys.map((key) => `${key.country} ${formatTaxId(key)}`);
  return { exact: shown(exact), corrected: shown(corrected) };
}

describe('the suggestions for a tax id', () => {
  it.each([
    ['a CNPJ with punctuation', '11.222.333/0001-81', 'BR 11.222.333/0001-81'],
    ['a CNPJ without punctuation', '11222333000181', 'BR 11.222.333/0001-81'],
    ['a CNPJ after its label', 'CNPJ: 11222333000181', 'BR 11.222.333/0001-81'],
    ['a CNPJ with letters', '12abc34501de35', 'BR 12.ABC.345/01DE-35'],
    ['a RUT', '96.505.760-9', 'CL 96.505.760-9'],
    ['a NIT with its check digit', '900.964.705-5', 'CO 900.964.705-5'],
  ])('have the company of %s', (_, text, company) => {
    expect(suggested(text)).toEqual({ exact: [company], corrected: [] });
  });

  it.each([
    ['a CNPJ', '11.222.333/0001-82', 'BR 11.222.333/0001-81'],
    ['a RUT', '96.505.760-8', 'CL 96.505.760-9'],
    ['a RUT that would be the NIT of a person', '67.000.001-1', 'CL 67.000.001-K'],
    ['a RUT whose digit is K', '76.000.006-1', 'CL 76.000.006-K'],
    ['a NIT', '900.964.705-4', 'CO 900.964.705-5'],
  ])('have the right number for wrong check digits of %s', (_, text, company) => {
    expect(suggested(text)).toEqual({ exact: [], corrected: [company] });
  });

  it('have both companies of a number that is a RUT and a NIT without its check digit', () => {
    expect(suggested('830000003')).toEqual({ exact: ['CL 83.000.000-3', 'CO 830.000.003-3'], corrected: [] });
  });

  it('have the NIT of nine digits, and the RUT that they would be with another check digit', () => {
    expect(suggested('965057608')).toEqual({ exact: ['CO 965.057.608-4'], corrected: ['CL 96.505.760-9'] });
  });

  it.each([
    ['the CPF of a person', '529.982.247-25'],
    ['a number of one repeated digit', '11111111111111'],
    ['a number that a spreadsheet has rounded', '1,12223E+13'],
    ['a name with two digits', 'Posto Central 24'],
    ['a text without a number', 'padaria'],
    ['a text that is too long', '1'.repeat(65)],
  ])('are none for %s', (_, text) => {
    expect(suggested(text)).toEqual({ exact: [], corrected: [] });
  });
});
