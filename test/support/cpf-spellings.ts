import fc from 'fast-check';

/** Made-up CPFs in the spellings that occur in registries, and a search that finds them in any spelling. */

/** Returns the CPF of nine digits with its check digits. */
export function cpfOf(base: string): string {
  const digit = (text: string) => {
    const rest = ([...text].reduce((sum, char, i) => sum + Number(char) * (text.length + 1 - i), 0) * 10) % 11;
    return text + (rest === 10 ? 0 : rest);
  };
  return digit(digit(base));
}

/** Returns letters, digits of usual width, and the asterisks of masks. */
export const withoutPunctuation = (text: string): string => text.normalize('NFKC').replace(/[^\p{L}\p{N}*]/gu, '');

/** True when a text shows the CPF, with or without its left zeros, whatever is between its digits. */
export const shows = (text: string, cpf: string): boolean => withoutPunctuation(text).includes(cpf.replace(/^0+/, ''));

/** A writing of a number that is a CPF. */
export interface WrittenCpf {
  readonly cpf: string;
  readonly written: string;
}

/** Ends of groups of the eleven digits. The last grouping is that of a number with thousands separators. */
const GROUPINGS = [[], [9], [3, 6, 9], [3, 9], [6, 9], [3, 6], [6], [3], [2, 5, 8]];
const SEPARATORS = [
  '.',
  ' ',
  '-',
  '\u00a0',
  '\u2009',
  '\u2010',
  '\u2011',
  '\u2013',
  '\u2014',
  '\u2212',
  '\u00b7',
  '/',
  '_',
  ' . ',
  ' - ',
  '\uff0e',
  ', ',
];
const INVISIBLE = ['', '', '', '\u200b', '\u00ad', '\u2060'];

const fullWidth = (digits: string): string => digits.replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit)));

const cpf = fc
  .tuple(fc.constantFrom('', '', '0', '00'), fc.integer({ min: 1, max: 9 }), fc.integer({ min: 0, max: 99_999_999 }))
  .map(([zeros, first, rest]) => cpfOf(`${zeros}${first}${String(rest).padStart(8, '0')}`.slice(0, 9)));

/** @param lostZeros true if left zeros may be missing */
export const writtenCpf = (lostZeros: boolean): fc.Arbitrary<WrittenCpf> =>
  fc
    .record({
      cpf,
      grouping: fc.constantFrom(...GROUPINGS),
      between: fc.constantFrom(...SEPARATORS),
      beforeCheckDigits: fc.constantFrom(...SEPARATORS.filter((one) => one !== ', ')),
      isWide: fc.boolean(),
      invisible: fc.constantFrom(...INVISIBLE),
      losesZeros: fc.boolean(),
    })
    .map(({ cpf, grouping, between, beforeCheckDigits, isWide, invisible, losesZeros }) => {
      const zeros = lostZeros && losesZeros ? (/^0*/.exec(cpf)?.[0].length ?? 0) : 0;
      const ends = [...grouping, 11];
      const groups = ends
        .map((end, i) => cpf.slice(Math.max(zeros, ends[i - 1] ?? 0), Math.max(zeros, end)))
        .filter((group) => group !== '');
      const written = groups.reduce((text, group, i) => text + (i === groups.length - 1 ? beforeCheckDigits : between) + group);
      const shown = invisible === '' ? written : written.replace(/\d(?=\d)/, `$&${invisible}`);
      return { cpf, written: isWide ? fullWidth(shown) : shown };
    });

/** A text with CPFs in it. */
export interface TextWithCpfs {
  readonly text: string;
  readonly cpfs: readonly string[];
}

const AT_ENDS: readonly ((id: string) => string)[] = [
  (id) => `MARIA INVENTADA ${id}`,
  (id) => `${id} MARIA INVENTADA`,
  (id) => `MARIA INVENTADA${id}`,
  (id) => `${id}MARIA INVENTADA`,
  (id) => `MARIA INVENTADA (${id})`,
  (id) => `[${id}] MARIA INVENTADA`,
  (id) => `MARIA INVENTADA - ${id} ME`,
  (id) => `MARIA INVENTADA, CPF ${id}`,
  (id) => id,
];

/** Names of sole traders with one CPF or two, which may lack their left zeros. */
export const nameWithCpfs: fc.Arbitrary<TextWithCpfs> = fc.oneof(
  fc.tuple(writtenCpf(true), fc.constantFrom(...AT_ENDS)).map(([{ cpf, written }, place]) => ({ text: place(written), cpfs: [cpf] })),
  fc
    .tuple(writtenCpf(true), writtenCpf(true))
    .map(([one, two]) => ({ text: `${one.written} MARIA INVENTADA ${two.written}`, cpfs: [one.cpf, two.cpf] })),
);

const WITHIN: readonly ((id: string) => string)[] = [
  ...AT_ENDS,
  (id) => `CONTRATO 12/2024 COM MARIA INVENTADA ${id} NO VALOR DE R$ 1.234.567,89`,
  (id) => `EMPRESA 11.222.333/0001-81, SÓCIA ${id}; TELEFONE (11) 3265-4987`,
];

/** Texts with one CPF of eleven digits anywhere. */
export const textWithCpf: fc.Arbitrary<TextWithCpfs> = fc
  .tuple(writtenCpf(false), fc.constantFrom(...WITHIN))
  .map(([{ cpf, written }, place]) => ({ text: place(written), cpfs: [cpf] }));
