/** CPF: the tax id of a person. Never shown or kept in full. */

const CPF = /(?<![\dA-Za-z])\d{3}\.?\d{3}\.?\d{3}-?\d{2}(?![\dA-Za-z])/g;

/** The registry's own mask: first three and last two digits hidden. */
export const maskCpf = (digits: string): string => `***${digits.slice(3, 9)}**`;

/** Text with every CPF in it masked. Sole traders carry theirs in the legal name. Other numbers of 11 digits stay. */
export const hideCpfs = (text: string): string =>
  text.replace(CPF, (written) => {
    const digits = written.replace(/\D/g, '');
    return isCpf(digits) ? maskCpf(digits) : written;
  });

function isCpf(digits: string): boolean {
  const check = (length: number) => {
    const sum = [...digits.slice(0, length)].reduce((total, digit, i) => total + Number(digit) * (length + 1 - i), 0);
    return ((sum * 10) % 11) % 10;
  };
  return check(9) === Number(digits[9]) && check(10) === Number(digits[10]);
}
