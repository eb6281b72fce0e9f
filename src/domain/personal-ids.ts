import { cnpjCheckDigits } from './check-digits.ts';
import { folded } from './text.ts';

/*
 * The CPF is the tax id of a natural person in Brazil. The service neither shows nor stores it in full: a source masks every text that it
 * reads by one of the functions of this file.
 */

/** True for eleven digits with correct check digits. */
export function isCpf(digits: string): boolean {
  if (!/^\d{11}$/.test(digits)) return false;
  const check = (length: number) => {
    let sum = 0;
    for (let i = 0; i < length; i += 1) sum += Number(digits[i]) * (length + 1 - i);
    return ((sum * 10) % 11) % 10;
  };
  return check(9) === Number(digits[9]) && check(10) === Number(digits[10]);
}

/** Masks a CPF as the Brazilian registry does: hides the first three and the last two digits. */
export const maskCpf = (digits: string): string => `***${digits.slice(3, 9)}**`;

/** True for a CPF of which six digits are visible: `***456789**`. */
export const isMaskedCpf = (text: string): boolean => /^\*{3}\d{6}\*{2}$/.test(text);

/** Writes the masked CPFs of a name alike: with the five digits that every mirror shows. minha-receita writes `***45678***` in names. */
export const withSameMasks = (name: string): string => name.replace(/\*{3}(\d{5})(?:\d\*{2}|\*{3})/g, '***$1***');

export const CPF_DIGITS = 11;
/** Minimum number of digits of a CPF that lost its left zeros, because a file stored it as a number. */
const MIN_CPF_DIGITS = 9;

/** Returns the eleven digits of a CPF that may have lost its left zeros; null for a number that is not a CPF. */
export function readCpf(digits: string): string | null {
  if (digits.length < MIN_CPF_DIGITS) return null;
  const padded = digits.padStart(CPF_DIGITS, '0');
  return isCpf(padded) ? padded : null;
}

/**
 * Masks every CPF in a text in any spelling: in one piece or in groups, adjacent to a word, in full-width digits. A number without left
 * zeros is a CPF only after the word CPF. Numbers with wrong check digits stay unchanged.
 */
export const maskCpfs = (text: string): string => masked(text, isLabelled);

/**
 * Masks every CPF in the name of a person or of a sole trader, whose legal name has one. In names it may also lack its left zeros, have
 * additional ones, and be divided anywhere.
 */
export const maskCpfsInName = (name: string): string => masked(name, () => true);

/** Returns true if a CPF is expected, by the text before a number. */
type IsExpected = (before: string) => boolean;

/** Matches the words before a CPF. The other words of a label stand between them and the number: `CPF/CNPJ do sócio nº`. */
const CPF_WORDS = /C\.?P\.?F|CADASTRO DE PESSOAS? F[IÍ]SICAS?|INSCRIT[OA]S? SOB/giu;
const LINK_WORDS: ReadonlySet<string> = new Set(
  `m f mf cnpj e ou o y or sob a de do da del la el of the is es n no nr nro num numero number id socio socia partner titular holder contratista
  contratado contratada representante responsavel responsable persona pessoa natural fisica`.split(/\s+/),
);
const MAX_LABEL = 60;

function isLabelled(before: string): boolean {
  const label = before.slice(-MAX_LABEL);
  const words = [...label.matchAll(CPF_WORDS)].at(-1);
  if (!words) return false;
  const rest = folded(label.slice(words.index + words[0].length).normalize('NFKC'));
  return !/[\d*]/.test(rest) && rest.split(/[^\p{L}]+/u).every((word) => word === '' || LINK_WORDS.has(word));
}

/** Digits without a visible character between them. */
interface Group {
  readonly start: number;
  readonly end: number;
  readonly digits: string;
  /** True if it may belong to the same number as the previous group. */
  readonly isJoined: boolean;
}

const GROUP = /\p{Nd}(?:\p{Cf}*\p{Nd})*/gu;
/** Characters that may separate the groups of one number. Asterisks are excluded, because the mask has them. */
const BETWEEN = /^[^\p{L}\p{N}*]{1,3}$/u;
/** Characters that separate two numbers and not two groups of one. */
const DIVIDER = /[/|,;]|.{2}/u;
/** Matches an amount of money: `529.982.247,25`. Where a CPF is expected, it is one unless a currency precedes it. */
const AMOUNT = /^\d{3}\.\d{3}\.\d{3},\d{2}$/;
const MAX_CURRENCY = 20;
const CURRENCY = /(?:[$€]|BRL|USD|EUR)\s{0,3}(?:\d{1,3}\.){0,3}$/;

function masked(text: string, isExpected: IsExpected): string {
  const groups = groupsOf(text);
  let shown = '';
  let done = 0;
  for (let i = 0; i < groups.length; i += 1) {
    const found = cpfFrom(i, groups, text, isExpected);
    if (!found) continue;
    shown += text.slice(done, groups[i]?.start) + maskCpf(found.cpf);
    done = groups[found.last]?.end ?? done;
    i = found.last;
  }
  return shown + text.slice(done);
}

function groupsOf(text: string): readonly Group[] {
  const groups: Group[] = [];
  let before = 0;
  for (const { 0: written, index: start } of text.matchAll(GROUP)) {
    const digits = /\D/.test(written) ? written.normalize('NFKC').replace(/\D/g, '') : written;
    const isJoined = groups.length > 0 && start - before <= 3 && BETWEEN.test(text.slice(before, start));
    before = start + written.length;
    groups.push({ start, end: before, digits, isJoined });
  }
  return groups;
}

/** Returns the CPF that begins with a group, and the index of its last group; null if there is none. */
function cpfFrom(first: number, groups: readonly Group[], text: string, isExpected: IsExpected): { cpf: string; last: number } | null {
  const start = groups[first]?.start ?? 0;
  const lengths: number[] = [];
  let digits = '';
  for (let last = first; last < groups.length; last += 1) {
    const { end, digits: more, isJoined } = groups[last] as Group;
    if (last > first && !isJoined) return null;
    lengths.push(more.length);
    digits += more;
    const hasExtraZeros = digits.length > CPF_DIGITS && digits.startsWith('0') && !text.slice(start, end).includes('/');
    if (hasExtraZeros && isExpected(text.slice(0, start))) {
      if (isHeadOffice(digits) && mayBeCnpj(text.slice(0, start))) return null;
      digits = withoutExtraZeros(digits);
    }
    if (digits.length > CPF_DIGITS) return null;
    const cpf = readCpf(digits);
    if (cpf === null || (AMOUNT.test(text.slice(start, end)) && !mayBeCpf(text.slice(0, start), isExpected))) continue;
    const isWhole = digits.length === CPF_DIGITS;
    const isGrouped = isGroupedAsCpf(lengths, digits.length);
    if (isWhole && isGrouped) return { cpf, last };
    if (!(isWhole || isGrouped) || !isApart(first, last, groups, text)) continue;
    if (isExpected(text.slice(0, start))) return { cpf, last };
  }
  return null;
}

/**
 * True for the CNPJ of the first establishment of a company. One in a hundred CPFs with three zeros before it has the check digits of a CNPJ,
 * but hardly any has this number of an establishment.
 */
const isHeadOffice = (digits: string): boolean =>
  /^\d{8}0001\d{2}$/.test(digits) && cnpjCheckDigits(digits.slice(0, 12)) === digits.slice(12);

/** True if the label before a number names the CNPJ: `CPF/CNPJ`. */
function mayBeCnpj(before: string): boolean {
  const label = before.slice(-MAX_LABEL);
  const word = [...label.matchAll(/C\.?N\.?P\.?J/gi)].at(-1);
  return word !== undefined && !/[\d*]/.test(label.slice(word.index));
}

const mayBeCpf = (before: string, isExpected: IsExpected): boolean => isExpected(before) && !CURRENCY.test(before.slice(-MAX_CURRENCY));

/** Removes additional zeros, as in a column of CNPJs: `00052998224725` → `52998224725`. */
export const withoutExtraZeros = (digits: string): string =>
  /^0+$/.test(digits.slice(0, -CPF_DIGITS)) ? digits.slice(-CPF_DIGITS) : digits;

/**
 * True for the groups of `529.982.247-25`, some of them joined, for thousands, and for single digits. A number that has lost zeros may have
 * been divided before or after: `12.345.678-90`, `123.456.789-0`.
 */
function isGroupedAsCpf(lengths: readonly number[], total: number): boolean {
  const lost = CPF_DIGITS - total;
  let end = 0;
  const ends = lengths.slice(0, -1).map((length) => {
    end += length;
    return end;
  });
  const isThousands = lengths.length > 1 && lengths.every((length, i) => (i === 0 ? length <= 3 : length === 3));
  return isThousands || lengths.every((length) => length === 1) || [lost, 0].some((before) => ends.every((at) => ENDS.has(at + before)));
}

/** Numbers of digits before the points and the dash of a CPF. */
const ENDS: ReadonlySet<number> = new Set([3, 6, 9]);

/** True unless further digits belong to the same number. Those of `1234567890.0` are decimals. */
function isApart(first: number, last: number, groups: readonly Group[], text: string): boolean {
  return [first, last + 1].every((i) => {
    const group = groups[i];
    if (!group?.isJoined) return true;
    const between = text.slice(groups[i - 1]?.end, group.start);
    return DIVIDER.test(between) || (i > last && between === '.' && /^0{1,2}$/.test(group.digits));
  });
}
