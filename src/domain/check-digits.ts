/* Check digits that the masks of CPFs and the readers of tax ids both need. */

const CNPJ_WEIGHTS = [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2];

/** Computes the two check digits of the first 12 characters. A character counts as its ASCII code − 48 (IN RFB 2.229/2024). */
export function cnpjCheckDigits(base: string): string {
  const digit = (text: string) => {
    const skipped = CNPJ_WEIGHTS.length - text.length;
    let sum = 0;
    for (let i = 0; i < text.length; i += 1) sum += (text.charCodeAt(i) - 48) * (CNPJ_WEIGHTS[skipped + i] ?? 0);
    return sum % 11 < 2 ? 0 : 11 - (sum % 11);
  };
  const first = digit(base);
  return `${first}${digit(base + first)}`;
}
