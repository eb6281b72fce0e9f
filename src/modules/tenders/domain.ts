import type { Country } from '../../domain/company.ts';
import { invalidInput } from '../../domain/errors.ts';
import { folded } from '../../domain/text.ts';
import { BOGOTA_OFFSET_MS, brazilianDate, chileanDate, isoDate } from '../../domain/time.ts';
import type { Covered } from '../../messages/coverage.ts';
import { fieldMessages } from '../../messages/fields.ts';

/** A public procurement marketplace; its name is the `source` of an answer. */
export type Marketplace = 'mercadopublico' | 'pncp' | 'secopii';

export const MARKETPLACES: Readonly<Record<Country, Marketplace>> = { CL: 'mercadopublico', BR: 'pncp', CO: 'secopii' };

/** Money as the marketplace states it. */
export interface Money {
  readonly amount: number;
  /** ISO 4217: CLP, CLF (the Chilean UF), BRL, COP, USD, EUR; UTM has no code and is kept as `UTM`. */
  readonly currency: string;
}

/** A purchase order or contract of a supplier, as its marketplace shows it. */
export interface TenderOrder {
  /** Code of the order, unique in the marketplace. */
  readonly code: string;
  readonly name: string;
  /**
   * Status in the wording of the marketplace, e.g. `Recepción Conforme`, `En ejecución`; derived from dates for PNCP, which has no status.
   */
  readonly status: string;
  /** Total amount; null if the marketplace hides or does not state it. */
  readonly total: Money | null;
  /** ISO date of the order or signature. */
  readonly date: string | null;
  readonly buyer: string | null;
  /** Tax id as the marketplace prints it. */
  readonly buyerTaxId: string | null;
  /** Code of the tender that led to the order. */
  readonly tenderCode: string | null;
  /** The supplier's tax id as printed; it may belong to another branch of the requested CNPJ. */
  readonly supplierTaxId: string | null;
  readonly url: string | null;
}

/** A won tender, in whole or by lines (CL). */
export interface AwardedContract {
  readonly code: string;
  readonly name: string;
  readonly status: string;
  /** Sum of the lines that this supplier won. */
  readonly total: Money;
  /** Local datetime without offset, `2026-03-01T15:04:05`; midnight where only a date is known. */
  readonly awardedAt: string;
  readonly buyer: string;
  readonly buyerTaxId: string;
}

/** A call for tenders, as a search shows it. */
export interface TenderNotice {
  readonly code: string;
  readonly name: string;
  readonly description: string | null;
  readonly status: string;
  /** Local datetime without offset; null where the marketplace states none. */
  readonly closesAt: string | null;
  /** Local datetime without offset, or a date. */
  readonly publishedAt: string | null;
  readonly estimate: Money | null;
  readonly buyer: string | null;
  readonly buyerTaxId: string | null;
  readonly url: string | null;
}

/** Cursor in a supplier's orders or awards, which are sorted by date, then by code, both descending. */
export interface RecordCursor {
  /** ISO date or local datetime of the record; null without a date. Records without a date come last. */
  readonly date: string | null;
  readonly code: string;
}

/** Request for the first `first` records after a cursor, or for the newest ones. */
export interface PageRequest {
  readonly first: number;
  readonly after: RecordCursor | null;
}

/** A page of a supplier's records. */
export interface Page<T> {
  /** Newest first. */
  readonly items: readonly T[];
  /** Number of the supplier's records, on all pages. */
  readonly total: number;
  /** True when more records follow this page. */
  readonly hasMore: boolean;
}

/** A page of one supplier's records from a marketplace. */
export interface SupplierRecords<T> extends Covered {
  readonly page: Page<T>;
  readonly source: Marketplace;
}

/** True for a record that sorts after the cursor. */
export function isAfter(record: RecordCursor, cursor: RecordCursor): boolean {
  const [date, cursorDate] = [record.date ?? '', cursor.date ?? ''];
  return date < cursorDate || (date === cursorDate && record.code < cursor.code);
}

/** Returns a page of sorted records. */
export function paginate<T>(
  records: readonly T[],
  total: number,
  { first, after }: PageRequest,
  cursorOf: (record: T) => RecordCursor,
): Page<T> {
  const start = after ? records.findIndex((record) => isAfter(cursorOf(record), after)) : 0;
  const rest = start < 0 ? [] : records.slice(start);
  return { items: rest.slice(0, first), total, hasMore: rest.length > first };
}

/** A search for calls for tenders. Dates are ISO days in the marketplace's time zone, both inclusive. */
export interface TenderSearch {
  readonly country: Country;
  /** Words to search for; null for every tender in the date range. */
  readonly keyword: string | null;
  readonly from: string | null;
  readonly to: string | null;
}

const TODAY: Readonly<Record<Country, (now: number) => string>> = {
  BR: brazilianDate,
  CL: chileanDate,
  CO: (now) => isoDate(now + BOGOTA_OFFSET_MS),
};

/** Converts epoch ms to the ISO day in the country of a marketplace. */
export const marketplaceDay = (country: Country, now: number): string => TODAY[country](now);

/**
 * Validates the dates of a search, and sets an end after today to today.
 * @param names names of the two dates in error messages
 * @throws AppError INVALID_INPUT for a search that begins in the future, or after its end
 */
export function clampToToday(search: TenderSearch, today: string, names: { readonly from: string; readonly to: string }): TenderSearch {
  const { from, to } = search;
  if (from !== null && from > today) throw invalidInput(names.from, fieldMessages.inFuture({ field: names.from }));
  if (from !== null && to !== null && from > to)
    throw invalidInput(names.from, fieldMessages.afterOther({ field: names.from, other: names.to }));
  return { ...search, to: to !== null && to > today ? today : to };
}

/** Cursor in the results of a search. */
export interface NoticeCursor {
  readonly code: string;
  /** Index in the results at the time of the search, from 0. */
  readonly position: number;
}

/**
 * Returns a page of the results after a cursor: after the notice's current index or, if the notice is gone, after its old one. Returns the
 * index of the first notice as `position`.
 */
export function paginateNotices(
  notices: readonly TenderNotice[],
  first: number,
  after: NoticeCursor | null,
): { readonly items: readonly TenderNotice[]; readonly position: number; readonly hasMore: boolean } {
  const at = notices.findIndex(({ code }) => code === after?.code);
  const position = at < 0 ? (after?.position ?? 0) : at + 1;
  return { items: notices.slice(position, position + first), position, hasMore: notices.length > position + first };
}

/** Result of a search: all notices found, newest first. The coverage is null for a complete search. */
export interface TenderSearchResult extends Covered<string | null> {
  readonly notices: readonly TenderNotice[];
  /** The date range searched. ISO days; null for no limit. */
  readonly from: string | null;
  readonly to: string | null;
}

/** True when title or description contain every word of the keyword. Ignores accents and case. */
export function matchesKeyword({ name, description }: Pick<TenderNotice, 'name' | 'description'>, keyword: string | null): boolean {
  if (keyword === null) return true;
  const text = folded(`${name} ${description ?? ''}`);
  return folded(keyword)
    .split(' ')
    .every((word) => text.includes(word));
}
