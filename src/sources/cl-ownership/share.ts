import { storable } from '../../domain/text.ts';

/** Reasons for which a cell gives no share. */
export type ShareProblem = 'blank' | 'unreadable' | 'out_of_bounds';

/** A share of capital as a cell states it. */
export interface ShareCell {
  /** Percentage as a decimal with a dot, `0` to `100`; null if the cell gives none. */
  readonly percent: string | null;
  readonly problem: ShareProblem | null;
  /** Text of a cell that is unreadable or out of bounds; absent for others, and for one that may have a name or a RUT. */
  readonly text?: string;
}

/**
 * Matches a number with at most one mark, and an optional percent sign. A percentage has no thousands, so a dot and a comma both stand before
 * decimals, also in one file. Programs write up to 20 decimals of a fraction that is not exact: `3.3333333333333335`.
 */
const NUMBER = /^(-?)(\d{0,12})(?:[.,](\d{1,20}))? ?%?$/;
/** Upper bound of shares that are 100 % after rounding. */
export const MAX_ROUNDED = 100.5;

/** Maximum length of a text that is kept. */
const MAX_TEXT = 40;
/** Number of digits from which a text may have a RUT. They are counted in the whole text, because any mark may stand between its groups. */
const MIN_RUT_DIGITS = 7;
/** Matches a number that is no RUT however many digits it has: three digits before its mark, where a RUT has one or two. */
const LONG_SHARE = /^-?\d{3}[.,]\d{1,20} ?%?$/;

const BLANK: ShareCell = { percent: null, problem: 'blank' };

const unknown = (problem: ShareProblem, cell: string): ShareCell => ({
  percent: null,
  problem,
  ...(!mayBePersonal(cell) && { text: storable(cell, MAX_TEXT) }),
});

/** True for a cell that may have a name or a RUT. A percentage has no letters, so one letter is enough. */
const mayBePersonal = (cell: string): boolean =>
  /\p{L}/u.test(cell) || ((cell.match(/\p{N}/gu)?.length ?? 0) >= MIN_RUT_DIGITS && !LONG_SHARE.test(cell));

/**
 * Reads the cell of a share. A blank cell is unknown and never 0; a share above 100.5 or below 0 is out of bounds. A whole number after a zero
 * is unreadable, because it may be a decimal that lost its mark.
 */
export function readShare(cell: string): ShareCell {
  if (cell === '') return BLANK;
  const [, sign = '', whole = '', decimals = ''] = NUMBER.exec(cell) ?? [];
  const hasLostMark = decimals === '' && whole.length > 1 && whole.startsWith('0');
  if ((whole === '' && decimals === '') || hasLostMark) return unknown('unreadable', cell);
  const number = Number(`${whole}.${decimals}`);
  if (number > MAX_ROUNDED || (sign === '-' && number > 0)) return unknown('out_of_bounds', cell);
  return { percent: number > 100 ? '100' : decimalOf(whole, decimals), problem: null };
}

/** Writes a number without superfluous zeros. Loops, because expressions for trailing zeros take quadratic time. */
function decimalOf(whole: string, decimals: string): string {
  let start = 0;
  while (start < whole.length - 1 && whole[start] === '0') start += 1;
  let end = decimals.length;
  while (end > 0 && decimals[end - 1] === '0') end -= 1;
  return `${whole.slice(start) || '0'}${end > 0 ? `.${decimals.slice(0, end)}` : ''}`;
}
