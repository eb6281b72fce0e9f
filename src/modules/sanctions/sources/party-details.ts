import { maskCpfs } from '../../../domain/personal-ids.ts';
import { MAX_LENGTHS } from '../../../domain/text.ts';
import type { PartyDetails } from '../domain/candidate.ts';
import type { SanctionsEntry } from './entry.ts';

export const NO_DETAILS: PartyDetails = { addresses: [], foundationDates: [], remarks: null };

const MAX_ADDRESSES = 20;
const MAX_REMARKS = 2_000;

/** Returns the member `details` of an entry. People, vessels and aircraft have none. Long texts are cut, and CPFs are masked. */
export function detailsOf(
  kind: SanctionsEntry['kind'],
  { addresses, foundationDates, remarks }: PartyDetails,
): Pick<SanctionsEntry, 'details'> {
  if (kind !== 'entity') return {};
  const lines = distinct(addresses.map((address) => cut(address, MAX_LENGTHS.name))).slice(0, MAX_ADDRESSES);
  const dates = distinct(foundationDates.map((date) => cut(date, MAX_LENGTHS.id)));
  const text = remarks === null ? null : cut(remarks, MAX_REMARKS) || null;
  if (lines.length === 0 && dates.length === 0 && text === null) return {};
  return { details: { addresses: lines, foundationDates: dates, remarks: text } };
}

/** Joins the parts of an address, without empty ones. It is empty if only the country is known, which entries have by itself. */
export function addressLine(parts: readonly (string | null | undefined)[], country: string | null): string {
  const known = parts.map((part) => part?.trim()).filter(Boolean);
  return known.length === 0 ? '' : [...known, country].filter(Boolean).join(', ');
}

const distinct = (texts: readonly string[]): readonly string[] => [...new Set(texts.filter((text) => text !== ''))];

function cut(text: string, length: number): string {
  const line = maskCpfs(text).replace(/\s+/g, ' ').trim();
  return line.length <= length ? line : `${line.slice(0, length - 1)}…`;
}
