import { FIRST_LEGAL_PERSON, rutCheckDigit } from '../../domain/tax-id.ts';
import { folded } from '../../domain/text.ts';
import { readShare, type ShareCell } from './share.ts';

/** Columns of the file: our name → the publisher's header. */
export const COLUMNS = {
  society: 'Rut Sociedad',
  societyDigit: 'DV Sociedad',
  type: 'Tipo Sociedad',
  subtype: 'Subtipo Sociedad',
  partner: 'RUT Socio',
  partnerDigit: 'DV Socio',
  people: 'ID Personas Naturales',
  share: 'Participación',
};
export type Cells = typeof COLUMNS;

/**
 * A row of the file. Companies are numbers of RUTs without check digits.
 * company: a company that is a partner. people: all natural persons among the partners together. unread: the society is known, and its
 * partner is not, or is one person, whose RUT is not kept. lost: the society itself is not known.
 */
export type CompositionRow =
  | { readonly kind: 'company'; readonly society: number; readonly partner: number; readonly share: ShareCell }
  | { readonly kind: 'people' | 'unread'; readonly society: number; readonly share: ShareCell }
  | { readonly kind: 'lost' };

/** Beginning of the text of a row of natural persons, without accents and in lower case. */
const PEOPLE = 'personas nat';

/**
 * Reads a row. A number below those of legal persons belongs to a person, or is a cut RUT of a company, which may have a valid check digit
 * by chance. So the row is unread in both cases, and the number is dropped.
 */
export function toRow({ society, societyDigit, partner, partnerDigit, people, share }: Cells): CompositionRow {
  const owned = companyNumber(society, societyDigit);
  if (owned === null) return { kind: 'lost' };
  const cell = readShare(share);
  if (partner !== '' || partnerDigit !== '') {
    const owner = companyNumber(partner, partnerDigit);
    return owner === null
      ? { kind: 'unread', society: owned, share: cell }
      : { kind: 'company', society: owned, partner: owner, share: cell };
  }
  return { kind: folded(people).startsWith(PEOPLE) ? 'people' : 'unread', society: owned, share: cell };
}

/** Returns the number of a company; null for a number that is not a RUT with this check digit, or is not that of a legal person. */
export function companyNumber(number: string, digit: string): number | null {
  if (!/^\d{8}$/.test(number) || rutCheckDigit(number) !== digit.toUpperCase()) return null;
  return Number(number) < FIRST_LEGAL_PERSON ? null : Number(number);
}
