import { isCpf, isMaskedCpf, maskCpf, maskCpfs, maskCpfsInName } from '../../../domain/personal-ids.ts';
import { MAX_LENGTHS, storable } from '../../../domain/text.ts';
import { NO_DOCUMENT, PARTNER_KINDS, partnerDocument, plausibleDate } from '../company.ts';

/** Number of values that were replaced by null, by reason. */
export class Notes {
  readonly counts: Record<string, number> = {};

  /** Counts a reason, and returns null. */
  add(reason: string): null {
    this.counts[reason] = (this.counts[reason] ?? 0) + 1;
    return null;
  }
}

/** Returns the ISO date of `YYYYMMDD`; null for none (empty, 0, 00000000) and for an impossible date, which is counted. */
export function dateOf(text: string, notes: Notes): string | null {
  if (/^0*$/.test(text)) return null;
  const iso = /^\d{8}$/.test(text) ? plausibleDate(`${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`) : null;
  return iso ?? notes.add('impossible_date');
}

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** True for a day that `dateOf` accepts. */
export function isPlausibleDay(year: number, month: number, day: number): boolean {
  if (year < 1800 || year >= 2200 || day < 1) return false;
  const isLeap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day <= (DAYS[month - 1] ?? 0) + (isLeap ? 1 : 0);
}

const PLACEHOLDER_CAPITAL = '999999999999';
const MAX_CAPITAL_DIGITS = 15;

/** Returns the capital in cents; null for none, and for the placeholder 999999999999 or another text, which are counted. */
export function centsOf(text: string, notes: Notes): string | null {
  if (text === '') return null;
  const [, whole = '', cents = ''] = /^(\d+)(?:,(\d{2}))?$/.exec(text) ?? [];
  if (whole === '') return notes.add('unreadable_capital');
  if (whole.replace(/^0+/, '') === PLACEHOLDER_CAPITAL || whole.length > MAX_CAPITAL_DIGITS) return notes.add('placeholder_capital');
  return BigInt(whole + (cents || '00')).toString();
}

/** Returns a code of at most `digits` digits as a number; null for an empty one, and for another text, which is counted. */
export function codeOf(text: string, digits: number, notes: Notes): number | null {
  if (text === '') return null;
  return /^\d+$/.test(text) && text.length <= digits ? Number(text) : notes.add('unreadable_code');
}

const HAS_DIGITS = /\p{Nd}/u;

/** Returns the name of a person or of a sole trader with any CPF masked; null if it is empty. */
export const personalName = (text: string): string | null =>
  text === '' ? null : storable(HAS_DIGITS.test(text) ? maskCpfsInName(text) : text, MAX_LENGTHS.name) || null;

/** Returns a company's name or another text with any CPF masked; null if it is empty. */
export const plainText = (text: string): string | null =>
  text === '' ? null : storable(HAS_DIGITS.test(text) ? maskCpfs(text) : text, MAX_LENGTHS.name) || null;

/**
 * Returns the document of a partner: a CNPJ, the root of one (8 characters), or a masked CPF. Null for none, and for another text, which is
 * counted. `***000000**` means none and is counted.
 */
export function documentOf(text: string, kind: keyof typeof PARTNER_KINDS, notes: Notes): string | null {
  if (text === '') return null;
  if (text === NO_DOCUMENT) return notes.add('placeholder_document');
  if (isMaskedCpf(text)) return text; // nearly all; the rest takes long
  if (kind === 1 && /^[\dA-Z]{8}$/.test(text)) return text;
  return partnerDocument(text, PARTNER_KINDS[kind]) ?? notes.add('unreadable_document');
}

/** Returns the masked CPF of a representative; null for none and for the placeholder, which is counted. */
export function representativeOf(text: string, notes: Notes): string | null {
  if (text === '') return null;
  if (text === NO_DOCUMENT) return notes.add('placeholder_representative');
  return isMaskedCpf(text) ? text : isCpf(text) ? maskCpf(text) : notes.add('unreadable_document');
}

/** Returns true or false for S or N; null for another text. */
export const flagOf = (text: string): string | null => (text === 'S' ? 'true' : text === 'N' ? 'false' : null);
