import { cnpjCheckDigits } from '../../src/domain/tax-id.ts';

/** Bare CNPJs of companies outside of the sandbox, which only the registry of the bench knows. */
export const madeUpCnpjs = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, i) => {
    const base = `${98_000_000 + i}0001`;
    return base + cnpjCheckDigits(base);
  });
