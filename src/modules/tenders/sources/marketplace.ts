import type { CompanyKey } from '../../../domain/company.ts';
import type { Copy, SyncOptions, SyncResult } from '../../../sources/copy.ts';
import type { SettingSpec, SourceInstance } from '../../../sources/source.ts';
import type { AwardedContract, Page, PageRequest, TenderOrder, TenderSearch, TenderSearchResult } from '../domain.ts';

/** Notices that one search gives at most; `coverage` says when there were more. */
export const MAX_NOTICES = 500;

/** Every marketplace can be searched for calls for tenders. */
export interface SearchableMarketplace extends SourceInstance {
  /**
   * All that is found, newest first, at most MAX_NOTICES of them; the caller cuts pages out of it. The search's country is this
   * marketplace's own, its dates are days of the calendar in order and none of them after today.
   * @throws AppError INVALID_INPUT on `date_from` or `date_to` for a window that this marketplace cannot be asked for;
   * SOURCE_UNAVAILABLE
   */
  search(search: TenderSearch): Promise<TenderSearchResult>;
}

/** A company and how much of its records is wanted. */
export interface SupplierPageRequest extends PageRequest {
  readonly key: CompanyKey;
}

/** What an index says of suppliers. Times are epoch ms. */
export interface SupplierHits<T> {
  /** One page a request, in order. */
  readonly pages: readonly Page<T>[];
  /** What the index holds and what it lacks; a sentence for the caller. */
  readonly coverage: string;
  /** True while months before this one are wanted and not there: then no record is no proof of none. */
  readonly incomplete?: boolean;
  /** ISO day that the data reach; null where the publisher does not say. */
  readonly publishedOn: string | null;
  /** When the publisher was last read. */
  readonly checkedAt: number;
  /** Past it the index must not be relied on. */
  readonly goodUntil: number;
}

/** Months of the publisher's to visit, `YYYY-MM`, both included; those of the setting where left out. */
export interface TenderSyncOptions extends SyncOptions {
  readonly from?: string;
  readonly to?: string;
}

/** A marketplace that cannot be asked by supplier: an index kept in Postgres is asked in its place. */
export interface IndexedMarketplace extends SearchableMarketplace, Copy {
  /**
   * One SQL statement however many are asked.
   * @throws AppError SOURCE_UNAVAILABLE when the index was never loaded, is overdue or cannot be read
   */
  orders(requests: readonly SupplierPageRequest[]): Promise<SupplierHits<TenderOrder>>;
  sync(options?: TenderSyncOptions): Promise<SyncResult>;
}

/** One that also tells what a supplier was awarded. */
export interface AwardingMarketplace extends IndexedMarketplace {
  /** As `orders`. */
  awards(requests: readonly SupplierPageRequest[]): Promise<SupplierHits<AwardedContract>>;
}

/** A supplier's orders, newest first (see `RecordCursor`), as a marketplace that can be asked by supplier gives them. */
export interface SupplierOrders {
  readonly orders: readonly TenderOrder[];
  /** Orders in all, those left out for their number included. */
  readonly total: number;
  /** What is not among them; a sentence for the caller. */
  readonly coverage: string;
}

/** A marketplace that is asked live, one call a supplier. */
export interface LiveMarketplace extends SearchableMarketplace {
  /** @throws AppError SOURCE_UNAVAILABLE */
  orders(key: CompanyKey): Promise<SupplierOrders>;
}

/** Of both indexes. */
export const TENDERS_MONTHS: SettingSpec = {
  description: 'Months that the index of orders and awards by supplier reaches back, the current one included',
  fallback: '12',
  sandbox: '3',
  pattern: /^([1-9]|[1-9]\d|1[01]\d|120)$/,
  expected: 'expected a whole number of months, 1 to 120',
};
