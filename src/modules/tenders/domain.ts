import type { Country } from '../../domain/company.ts';
import { invalidInput } from '../../domain/errors.ts';
import { folded } from '../../domain/text.ts';

/** A marketplace of public procurement: its name is the `source` of an answer. */
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
  /** The marketplace's own code; unique in it. */
  readonly code: string;
  readonly name: string;
  /** The marketplace's own words, e.g. `Recepción Conforme`, `En ejecución`; derived from dates where it has none, and then documented. */
  readonly status: string;
  /** Null where the marketplace hides or does not state it. */
  readonly total: Money | null;
  /** ISO date of the order or signature. */
  readonly date: string | null;
  readonly buyer: string | null;
  /** As the marketplace prints it. */
  readonly buyerTaxId: string | null;
  /** The tender it follows from. */
  readonly tenderCode: string | null;
  /** The supplier's tax id as printed: a branch of a CNPJ may be another than the one asked for. */
  readonly supplierTaxId: string | null;
  readonly url: string | null;
}

/** A tender won, in whole or by lines (CL). */
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

/** A cursor in a supplier's orders or awards, which stand newest first; of those of one moment, the greatest code. */
export interface RecordCursor {
  /** ISO date or local datetime of the record; null where it has none: those come last. */
  readonly date: string | null;
  readonly code: string;
}

/** How much of a supplier's records is wanted: so many that come after a cursor, or from the newest on. */
export interface PageRequest {
  readonly first: number;
  readonly after: RecordCursor | null;
}

/** A stretch of a supplier's records. */
export interface Page<T> {
  /** Newest first. */
  readonly items: readonly T[];
  /** Of the supplier's records, in and out of this stretch. */
  readonly total: number;
  /** True when more of them come after this stretch. */
  readonly hasMore: boolean;
}

/** What a marketplace says of one supplier. */
export interface SupplierRecords<T> {
  readonly page: Page<T>;
  readonly source: Marketplace;
  /** What was looked through and what was not; a sentence for the caller. */
  readonly coverage: string;
}

/** True for a record that stands after the cursor. */
export function isAfter(record: RecordCursor, cursor: RecordCursor): boolean {
  const [date, cursorDate] = [record.date ?? '', cursor.date ?? ''];
  return date < cursorDate || (date === cursorDate && record.code < cursor.code);
}

/** Cuts a stretch out of records that stand in their order. */
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

/** What to look for. Dates are ISO days in the marketplace's own time zone, both included. */
export interface TenderSearch {
  readonly country: Country;
  /** Null for every tender of the window. */
  readonly keyword: string | null;
  readonly from: string | null;
  readonly to: string | null;
}

/**
 * A search that a marketplace can answer: one that ends after today ends today.
 * @param names what the caller calls the two dates
 * @throws AppError INVALID_INPUT for a search that begins in the future, or after its end
 */
export function clampToToday(search: TenderSearch, today: string, names: { readonly from: string; readonly to: string }): TenderSearch {
  const { from, to } = search;
  if (from !== null && from > today) throw invalidInput(names.from, `${names.from} lies in the future.`);
  if (from !== null && to !== null && from > to) throw invalidInput(names.from, `${names.from} lies after ${names.to}.`);
  return { ...search, to: to !== null && to > today ? today : to };
}

/** A cursor in the findings of a search. */
export interface NoticeCursor {
  readonly code: string;
  /** From 0, when it was found. */
  readonly position: number;
}

/**
 * Cuts so many out of what was found, after a cursor: where the notice stands now or, where it is gone, where it stood.
 * `position` is that of the first one given.
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

/** The tenders found, newest first, all of those that the marketplace was asked about. */
export interface TenderSearchResult {
  readonly notices: readonly TenderNotice[];
  /** What was looked through, where it is less than was asked for; a sentence for the caller. Null when nothing is left out. */
  readonly coverage: string | null;
  /** The window looked through. ISO days; null where the marketplace was asked without one. */
  readonly from: string | null;
  readonly to: string | null;
}

/** True when every word of the keyword stands in title or description, accents and case set aside. */
export function matchesKeyword({ name, description }: Pick<TenderNotice, 'name' | 'description'>, keyword: string | null): boolean {
  if (keyword === null) return true;
  const text = folded(`${name} ${description ?? ''}`);
  return folded(keyword)
    .split(' ')
    .every((word) => text.includes(word));
}
