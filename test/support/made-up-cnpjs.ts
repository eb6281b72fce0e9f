import { cnpjCheckDigits } from '../../src/domain/tax-id.ts';

/** The valid CNPJ of the head office with this root, a number of up to 8 digits. */
export function cnpjOf(root: number): string {
  const base = `${String(root).padStart(8, '0')}0001`;
  return base + cnpjCheckDigits(base);
}

/** Valid CNPJs of `count` roots that follow each other. */
export const cnpjsFrom = (root: number, count: number): readonly string[] => Array.from({ length: count }, (_, i) => cnpjOf(root + i));
