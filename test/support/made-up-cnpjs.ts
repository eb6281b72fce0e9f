import { cnpjCheckDigits } from '../../src/domain/check-digits.ts';

/** Returns the valid CNPJ of the head office with this root, a number of up to 8 digits. */
export function cnpjOf(root: number): string {
  const base = `${String(root).padStart(8, '0')}0001`;
  return base + cnpjCheckDigits(base);
}

/** Returns valid CNPJs of `count` consecutive roots. */
export const cnpjsFrom = (root: number, count: number): readonly string[] => Array.from({ length: count }, (_, i) => cnpjOf(root + i));
