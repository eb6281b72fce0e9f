import { z } from 'zod';
import type { CompanyKey } from '../../../domain/company.ts';
import type { Covered } from '../../../messages/coverage.ts';
import type { Copy, SettingSpec, SourceInstance, SyncOptions, SyncResult } from '../../../sources/source.ts';
import type { AwardedContract, Money, Page, PageRequest, TenderOrder, TenderSearch, TenderSearchResult } from '../domain.ts';

export const MONEY: z.ZodType<Money> = z.object({ amount: z.number(), currency: z.string() });

/** Maximum number of notices per search; `coverage` states when more were found. */
export const MAX_NOTICES = 500;

/** A marketplace with a search for calls for tenders. */
export interface SearchableMarketplace extends SourceInstance {
  /**
   * Returns at most MAX_NOTICES notices, newest first. The caller divides them into pages. The search's country must be the marketplace's;
   * its dates must be valid, in order and not after today.
   * @throws AppError INVALID_INPUT on `date_from` or `date_to` for a date range that this marketplace does not support; SOURCE_UNAVAILABLE
   */
  search(search: TenderSearch): Promise<TenderSearchResult>;
}

/** Request for a page of a company's records. */
export interface SupplierPageRequest extends PageRequest {
  readonly key: CompanyKey;
}

/** Pages of suppliers' records, with coverage and age. Times are epoch ms. */
export interface SupplierHits<T> extends Covered {
  /** One page per request, in order. */
  readonly pages: readonly Page<T>[];
  /** True while months before this one are missing, so that an empty page proves nothing. */
  readonly incomplete?: boolean;
  /** ISO day up to which the data reach; null if the publisher states none. */
  readonly publishedOn: string | null;
  /** Epoch ms of the last successful check at the publisher. */
  readonly checkedAt: number;
  /** Epoch ms from which the index counts as a failed source. */
  readonly goodUntil: number;
}

/** Months to sync, `YYYY-MM`, both inclusive; by default those of the setting. */
export interface TenderSyncOptions extends SyncOptions {
  readonly from?: string;
  readonly to?: string;
}

/** A marketplace without a query by supplier. An index in Postgres answers instead. */
export interface IndexedMarketplace extends SearchableMarketplace, Copy {
  /**
   * Runs one SQL statement for all requests.
   * @throws AppError SOURCE_UNAVAILABLE when the index was never loaded, is overdue or cannot be read
   */
  orders(requests: readonly SupplierPageRequest[]): Promise<SupplierHits<TenderOrder>>;
  sync(options?: TenderSyncOptions): Promise<SyncResult>;
}

/** An indexed marketplace that also has a supplier's awards. */
export interface AwardingMarketplace extends IndexedMarketplace {
  /** Returns awards, like `orders`. */
  awards(requests: readonly SupplierPageRequest[]): Promise<SupplierHits<AwardedContract>>;
}

/** A supplier's orders, newest first (see `RecordCursor`), from a marketplace with a query by supplier. */
export interface SupplierOrders extends Covered {
  readonly orders: readonly TenderOrder[];
  /** Number of orders, including those beyond the limit. */
  readonly total: number;
}

/** A marketplace with a live query, one call per supplier. */
export interface LiveMarketplace extends SearchableMarketplace {
  /** @throws AppError SOURCE_UNAVAILABLE */
  orders(key: CompanyKey): Promise<SupplierOrders>;
}

/** Setting of both indexes. */
export const TENDERS_MONTHS: SettingSpec = {
  description: 'Number of months that the index of orders and awards by supplier covers, including the current one; 3 in the sandbox.',
  fallback: '12',
  sandbox: '3',
  pattern: /^([1-9]|[1-9]\d|1[01]\d|120)$/,
  expected: 'expected a whole number of months, 1 to 120',
};
