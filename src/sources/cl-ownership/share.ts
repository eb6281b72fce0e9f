/** Reasons for which a cell gives no share. */
export type ShareProblem = 'blank' | 'unreadable' | 'out_of_bounds';

/** A share of capital as a cell states it. */
export interface ShareCell {
  /** Percentage as a decimal with a dot, `0` to `100`; null if the cell gives none. */
  readonly percent: string | null;
  readonly problem: ShareProblem | null;
}

/**
 * Matches a number with at most one mark, and an optional percent sign. A percentage has no thousands, so a dot and a comma both stand before
 * decimals, also in one file. Programs write up to 20 decimals of a fraction that is not exact: `3.3333333333333335`.
 */
const NUMBER = /^(-?)(\d{0,12})(?:[.,](\d{1,20}))? ?%?$/;
/** Upper bound of shares that are 100 % after rounding. */
export const MAX_ROUNDED = 100.5;

const BLANK: ShareCell = { percent: null, problem: 'blank' };
const UNREADABLE: ShareCell = { percent: null, problem: 'unreadable' };

/**
 * Reads the cell of a share. A blank cell is unknown and never 0; a share above 100.5 or below 0 is out of bounds. A whole number after a zero
 * is unreadable, because it may be a decimal that lost its mark.
 */
export function readShare(cell: string): ShareCell {
  if (cell === '') return BLANK;
  const [, sign = '', whole = '', decimals = ''] = NUMBER.exec(cell) ?? [];
  const hasLostMark = decimals === '' && whole.length > 1 && whole.startsWith('0');
  if ((whole === '' && decimals === '') || hasLostMark) return UNREADABLE;
  const number = Number(`${whole}.${decimals}`);
  if (number > MAX_ROUNDED || (sign === '-' && number > 0)) return { percent: null, problem: 'out_of_bounds' };
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
