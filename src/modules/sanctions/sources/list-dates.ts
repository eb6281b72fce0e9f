import { isIsoDate } from '../../../domain/time.ts';

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/**
 * Converts a date to an ISO date: `2026-10-05`, also with a time after it, `05-Oct-2026`, `05/10/2026` (day first). It returns null for
 * another text, and for a date that is not complete or does not exist.
 */
export function listDate(text: string): string | null {
  const date = isoOf(text.trim());
  return date !== null && isIsoDate(date) ? date : null;
}

function isoOf(text: string): string | null {
  if (/^\d{4}-\d{2}-\d{2}(?:[T ]|$)/.test(text)) return text.slice(0, 10);
  const [, day = '', name = '', year = ''] = /^(\d{1,2})-([A-Za-z]{3})-(\d{4})$/.exec(text) ?? [];
  const month = MONTHS.indexOf(name.toLowerCase()) + 1;
  if (month > 0) return `${year}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`;
  return /^\d{2}\/\d{2}\/\d{4}$/.test(text) ? `${text.slice(6)}-${text.slice(3, 5)}-${text.slice(0, 2)}` : null;
}
