/** CPF: the tax id of a natural person. The service never shows or stores it in full. */

const CPF = /(?<![\dA-Za-z])\d{3}\.?\d{3}\.?\d{3}-?\d{2}(?![\dA-Za-z])/g;

/** Masks a CPF as the Brazilian registry does: hides the first three and the last two digits. */
export const maskCpf = (digits: string): string => `***${digits.slice(3, 9)}**`;

/** Masks every CPF in a text: sole traders have theirs in the legal name. Other numbers of 11 digits stay as they are. */
export const hideCpfs = (text: string): string =>
  text.replace(CPF, (written) => {
    const digits = written.replace(/\D/g, '');
    return isCpf(digits) ? maskCpf(digits) : written;
  });

/** True for eleven digits whose check digits are right. */
export function isCpf(digits: string): boolean {
  if (!/^\d{11}$/.test(digits)) return false;
  const check = (length: number) => {
    const sum = [...digits.slice(0, length)].reduce((total, digit, i) => total + Number(digit) * (length + 1 - i), 0);
    return ((sum * 10) % 11) % 10;
  };
  return check(9) === Number(digits[9]) && check(10) === Number(digits[10]);
}
