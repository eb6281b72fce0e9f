import { describe, expect, it } from 'vitest';
import { formatCnpj } from '../../../src/domain/tax-id.ts';
import type { PortfolioRow } from '../../../src/modules/screening/domain/portfolio.ts';
import { readPortfolioFile } from '../../../src/modules/screening/service/portfolio-file.ts';

const CNPJ = formatCnpj('11222333000181');

async function identifiersOf(text: string): Promise<readonly string[]> {
  const rows: PortfolioRow[] = [];
  await readPortfolioFile(text, (row) => rows.push(row), { nextPiece: () => Promise.resolve() });
  return rows.map(({ identifier }) => identifier);
}

describe('the column of the tax ids', () => {
  it.each([
    'CNPJ',
    'CPF/CNPJ',
    'CNPJ da empresa',
    'CNPJ nº',
    'Nº do CNPJ',
    'cnpj_fornecedor',
    'RUT proveedor',
    'R.U.T./RUT',
    'NIT',
    'Tax ID',
    'Identificador',
  ])('has the header %s, wherever it stands', async (header) => {
    expect(await identifiersOf(`Nome;${header}\nACME;${CNPJ}\n`)).toEqual([CNPJ]);
    expect(await identifiersOf(`${header};Nome\n${CNPJ};ACME\n`)).toEqual([CNPJ]);
  });

  it('is not that of another identifier beside it', async () => {
    expect(await identifiersOf(`Identificador interno;CNPJ da empresa\n17;${CNPJ}\n`)).toEqual([CNPJ]);
  });

  it.each([
    ['whose names have such a word', `${CNPJ};NIT SERVICOS\n`, [CNPJ]],
    ['whose tax ids have a label', `CNPJ ${CNPJ};ACME\nCNPJ ${CNPJ};ACME\n`, [`CNPJ ${CNPJ}`, `CNPJ ${CNPJ}`]],
    ['whose first tax id is wrong, beside such a name', `11.222.333/0001-82;NIT SERVICOS\n${CNPJ};ACME\n`, ['11.222.333/0001-82', CNPJ]],
    ['whose first tax id is wrong', `CNPJ 11.222.333/0001-82\n${CNPJ}\n`, ['CNPJ 11.222.333/0001-82', CNPJ]],
  ])('is the first one of a file without a header %s', async (_, text, expected) => {
    expect(await identifiersOf(text)).toEqual(expected);
  });
});
