import type { Knex } from 'knex';
import type { AwardedContract, Marketplace, TenderOrder } from './domain.ts';

/** A row of the index: an order or an award, and whose it is. */
export type IndexRow =
  | { readonly kind: 'order'; readonly supplier: string; readonly order: TenderOrder }
  | { readonly kind: 'award'; readonly supplier: string; readonly award: AwardedContract };

/** A part of the index that is replaced whole: a month of a bulk file, a window of days. */
export interface Slice {
  /** The publisher's own name of it, e.g. `orders/2026-09`. */
  readonly name: string;
  /** What it was read from: an ETag, a checksum; null where the publisher gives nothing to compare. */
  readonly tag: string | null;
  /** Epoch ms. */
  readonly loadedAt: number;
  readonly rows: number;
}

/**
 * A supplier's orders and awards, indexed by legal person (`CL:767955618`, `BR:11222333`, as `legalPersonText` writes it) because no
 * marketplace of Chile or Brazil can be asked by supplier. One index per marketplace and origin.
 */
export interface TenderIndex {
  /** Legal persons → orders, newest first, one SQL statement. */
  orders(suppliers: readonly string[]): Promise<ReadonlyMap<string, readonly TenderOrder[]>>;
  /** Legal persons → awards, newest first, one SQL statement. */
  awards(suppliers: readonly string[]): Promise<ReadonlyMap<string, readonly AwardedContract[]>>;
  slices(): Promise<readonly Slice[]>;
  /**
   * Replaces one slice whole, in one transaction: readers see the old rows or the new ones, and a killed load leaves nothing.
   * Rows stream in by COPY; a code that comes again, in this or in an older slice, counts once, the newest load wins.
   */
  replace(slice: Omit<Slice, 'rows'>, rows: AsyncIterable<IndexRow>): Promise<Slice>;
}

export declare function createTenderIndex(db: Knex, marketplace: Marketplace, origin: string): TenderIndex;
