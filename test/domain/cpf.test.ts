import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cnpjCheckDigits } from '../../src/domain/check-digits.ts';
import { maskCpfs, maskCpfsInName, readCpf } from '../../src/domain/personal-ids.ts';
import { cpfOf, nameWithCpfs, shows, textWithCpf } from '../support/cpf-spellings.ts';
import '../support/property-seed.ts';

describe('a CPF in a text', () => {
  it.each([
    ['JOAO MODELO 52998224725', 'JOAO MODELO ***982247**'],
    ['529.982.247-25 JOAO MODELO', '***982247** JOAO MODELO'],
    ['JOAO MODELO, CPF nº 1234567890, residente', 'JOAO MODELO, CPF nº ***345678**, residente'],
    ['CPF número 1234567890, CPF Nro. 1234567890', 'CPF número ***345678**, CPF Nro. ***345678**'],
    ['CPF/CNPJ: 529.982.247-25', 'CPF/CNPJ: ***982247**'],
    ['inscrito sob o nº 529 982 247 25', 'inscrito sob o nº ***982247**'],
    ['52998224725 e 012 345 678 90', '***982247** e ***345678**'],
    ['JOAO MODELO, CPF 529.982.247,25, residente', 'JOAO MODELO, CPF ***982247**, residente'],
  ])('PR-01 is masked: %s', (text, masked) => {
    expect(maskCpfs(text)).toBe(masked);
  });

  it.each([
    'CPF/CNPJ:',
    'CNPJ/CPF',
    'CPF ou CNPJ nº',
    'CPF (MF) nº',
    'CPF/MF sob o n.º',
    'C.P.F./M.F.',
    'inscrito no CPF sob o nº',
    'inscrita sob o nº',
    'portador do CPF de nº',
    'CPF do sócio:',
    'Cadastro de Pessoas Físicas n°',
    'CPF del representante:',
    'CPF del contratista N.º',
    'CPF número',
    'CPF number',
    'CPF of the partner is',
    'CPF holder no.',
  ])('PR-01 is masked without its left zero, and in the form of an amount, after %s', (label) => {
    for (const written of ['1234567890', '12.345.678-90', '012.345.678,90'])
      expect(maskCpfs(`${label} ${written}`), written).toBe(`${label} ***345678**`);
  });

  it('PR-01 is masked in 10,000 writings of eleven digits, and nothing else of a masked text changes when it is masked again', () => {
    const masksAll = ({ text, cpfs }: { text: string; cpfs: readonly string[] }) => {
      const masked = maskCpfs(text);
      expect(
        cpfs.filter((cpf) => shows(masked, cpf)),
        text,
      ).toEqual([]);
      expect(maskCpfs(masked)).toBe(masked);
    };
    fc.assert(fc.property(textWithCpf, masksAll), { numRuns: 10_000 });
  });
});

describe('a CPF in the name of a sole trader', () => {
  // https://github.com/turicas/socios-brasil/issues/45, https://github.com/renatofrota/pix-pendencias/issues/24
  it.each([
    ['MARIA INVENTADA 1234567890', 'MARIA INVENTADA ***345678**'],
    ['MARIA INVENTADA 12.345.678-90', 'MARIA INVENTADA ***345678**'],
    ['MARIA INVENTADA 012 345 678 90', 'MARIA INVENTADA ***345678**'],
    ['MARIA01234567890', 'MARIA***345678**'],
    ['1234567890/52998224725 MARIA', '***345678**/***982247** MARIA'],
    ['MARIA INVENTADA 1234567890 LTDA', 'MARIA INVENTADA ***345678** LTDA'],
    ['MARIA INVENTADA 1234567890 - EM LIQUIDACAO', 'MARIA INVENTADA ***345678** - EM LIQUIDACAO'],
    ['MARIA 1234567890X INVENTADA', 'MARIA ***345678**X INVENTADA'],
    ['MARIA INVENTADA 1234567890.0', 'MARIA INVENTADA ***345678**.0'],
    ['MARIA INVENTADA 00001234567890', 'MARIA INVENTADA ***345678**'],
    ['MARIA INVENTADA 529.982.247,25', 'MARIA INVENTADA ***982247**'],
    ['MARIA INVENTADA 000529.982.247-25', 'MARIA INVENTADA ***982247**'],
    ['000.529.982.247-25 MARIA INVENTADA', '***982247** MARIA INVENTADA'],
    ['MARIA INVENTADA 123.456.789-0', 'MARIA INVENTADA ***345678**'],
    ['MARIA 123 456 789 0 INVENTADA', 'MARIA ***345678** INVENTADA'],
    ['MARIA INVENTADA 123456789-0', 'MARIA INVENTADA ***345678**'],
  ])('PR-01 is masked anywhere, also with fewer or more zeros in front: %s', (name, masked) => {
    expect(maskCpfsInName(name)).toBe(masked);
  });

  it('PR-01 is masked in 10,000 writings', () => {
    const masksAll = ({ text, cpfs }: { text: string; cpfs: readonly string[] }) => {
      const masked = maskCpfsInName(text);
      expect(
        cpfs.filter((cpf) => shows(masked, cpf)),
        text,
      ).toEqual([]);
      expect(maskCpfsInName(masked)).toBe(masked);
    };
    fc.assert(fc.property(nameWithCpfs, masksAll), { numRuns: 10_000 });
  });
});

describe('a number that is no CPF', () => {
  it.each([
    'PROCESSO 12345678901',
    '11.222.333/0001-81 ACME',
    'ACME 11222333000181',
    '50.000.913 MARIA MODELO',
    'MARIA MODELO 50000913',
    'DISK GAS (11) 3265-4987',
    'DISK GAS 11 98765-4321',
    '+55 11 98765-4321 ACME',
    'PROCESSO 23000.012345/2024-11',
    'PROCESSO 0001234-56.2024.8.26.0100',
    'NIT 900.964.705-5',
    'NIT 120.55443.22-1 MARIA',
    'CNAE 6201-5/01',
    'R$ 529.982.247,25',
    'ACME R$ 1.529.982.247,25',
    'ACME BRL 529.982.247,25',
    '€ 529.982.247,25',
    '***982247** JOAO',
    '12345678000195-1-000123/2024',
    'MARIA 00.052.998/2247-25',
  ])('stays in texts and names: %s', (text) => {
    expect([maskCpfs(text), maskCpfsInName(text)]).toEqual([text, text]);
  });

  it('stays in a text in the form of an amount', () => {
    for (const text of ['VALOR DE 529.982.247,25', 'BRL 529.982.247,25, CPF NÃO INFORMADO']) expect(maskCpfs(text)).toBe(text);
  });

  it('stays within a text where it would be a CPF only with left zeros', () => {
    for (const text of [
      'LOTE 1234567890 DE PECAS',
      'PEDIDO 1234567890',
      'CPF NÃO INFORMADO, PEDIDO 1234567890',
      'CPF 3, PEDIDO 1234567890',
    ])
      expect(maskCpfs(text)).toBe(text);
  });

  // 000.000.001-91 is a CPF, too.
  it.each(['CPF/CNPJ:', 'CNPJ/CPF nº', 'CPF ou CNPJ', 'inscrito no CPF ou C.N.P.J. sob o nº'])(
    'stays after a label that names both, if it is the CNPJ of a head office: %s',
    (label) => {
      for (const text of [`${label} 00000000000191`, `BANCO, ${label} 00000000000191, BRASILIA`]) {
        expect([maskCpfs(text), maskCpfsInName(text)], text).toEqual([text, text]);
      }
      expect(maskCpfs(`${label} 00000000000191 52998224725`)).toBe(`${label} 00000000000191 ***982247**`);
    },
  );

  it('PR-01 is a CPF with additional zeros after another label, of another branch, and with other check digits', () => {
    expect(maskCpfs('CPF: 00000000000191')).toBe('CPF: ***000001**');
    expect(maskCpfs('CNPJ 11222333000181, CPF: 00000000000191')).toBe('CNPJ 11222333000181, CPF: ***000001**');
    const padded = Array.from({ length: 2_000 }, (_, i) => `000${cpfOf(String(529_982_000 + i * 99_991))}`);
    const bothAtOnce = padded.filter((digits) => cnpjCheckDigits(digits.slice(0, 12)) === digits.slice(12));
    expect(bothAtOnce.length).toBeGreaterThan(0);
    for (const digits of [...bothAtOnce, '00052998224725'])
      expect(maskCpfs(`CPF/CNPJ: ${digits}`)).toBe(`CPF/CNPJ: ***${digits.slice(6, 12)}**`);
  });

  it('is not read: other check digits, or too few digits to be told from other numbers', () => {
    expect(['1234567890', '12345678901', '1234567', '91'].map(readCpf)).toEqual(['01234567890', null, null, null]);
  });
});
