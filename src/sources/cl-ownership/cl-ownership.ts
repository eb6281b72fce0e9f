import type { AppError } from '../../domain/errors.ts';
import type { Link, PathSearch } from '../copies/path-search.ts';
import type { Copy, ListVersion, SyncOptions, SyncResult } from '../source.ts';
import type { CompanyShare, Composition } from './composition.ts';
import type { OwnershipHistory, OwnershipHistoryQuery, PastComposition } from './history.ts';

/** The version that answered, and the epoch ms after which its data must not be used. */
interface FromVersion {
  readonly version: ListVersion;
  readonly goodUntil: number;
}

/** Request for companies that a company owns. */
export interface OwnedRequest {
  /** Bare RUT of the owner. */
  readonly owner: string;
  readonly first: number;
  /** Bare RUT after which the page begins; null for the first page. */
  readonly after: string | null;
}

/** A company (bare RUT) at an ISO date. */
export interface CompositionAsOfQuery {
  readonly rut: string;
  readonly asOf: string;
}

/** A page of the companies that a company owns, by RUT. */
export interface OwnedPage {
  readonly items: readonly CompanyShare[];
  readonly hasMore: boolean;
  /** Number of rows of the file of which the owner or the company could not be read. */
  readonly unread: number;
}

/** Request for a path between two companies, by bare RUT. */
export interface OwnershipPathQuery {
  readonly from: string;
  readonly to: string;
  /** Maximum number of edges. */
  readonly maxDepth: number;
}

/** An edge of a path, by bare RUT. */
export interface OwnershipLink extends Link {
  /** Percentage; null if it is not known. */
  readonly share: string | null;
  /** Text of the file that is no percentage; absent if there is none. */
  readonly text?: string;
}

/** Path between two companies, and the extent of the search for it. */
export interface OwnershipPath extends Omit<PathSearch<OwnershipLink>, 'seen'> {
  readonly visited: number;
  /** Number of rows of the file of which the owner or the company could not be read. */
  readonly unread: number;
}

/** Owners of Chilean companies with their shares, copied from the yearly file of the tax registry. */
export interface ClOwnership extends Copy {
  /** Also makes the version before the current one answer again, if `rollBack` is true. That file is then not loaded by a later sync. */
  sync(options?: SyncOptions & { readonly rollBack?: boolean }): Promise<SyncResult>;
  /** Returns a text that changes with the version that answers and with the first file of the history, as last read; null without one. */
  historyVersion(): string | null;
  /**
   * Returns the owners of companies by bare RUT, by one SQL statement.
   * @throws AppError SOURCE_UNAVAILABLE when the file was never loaded, is too old or cannot be read
   */
  compositions(ruts: readonly string[]): Promise<FromVersion & { readonly of: (rut: string) => Composition }>;
  /**
   * Returns the owners of companies in the last file up to a date, or why they are not known, by two SQL statements: from the file that
   * answers and the differences since then. Before the first file that was loaded the failure is NO_RECORD_THEN.
   * @throws AppError SOURCE_UNAVAILABLE as above
   */
  compositionsAsOf(
    queries: readonly CompositionAsOfQuery[],
  ): Promise<FromVersion & { readonly found: readonly (PastComposition | AppError)[] }>;
  /**
   * Returns a page of the differences between the files that were loaded for each company, or NO_RECORD_THEN if no two files were compared,
   * by one SQL statement.
   * @throws AppError SOURCE_UNAVAILABLE as above
   */
  history(queries: readonly OwnershipHistoryQuery[]): Promise<FromVersion & { readonly pages: readonly (OwnershipHistory | AppError)[] }>;
  /** Searches a shortest path between two companies, by one statement per level. @throws AppError SOURCE_UNAVAILABLE as above */
  path(query: OwnershipPathQuery): Promise<FromVersion & { readonly path: OwnershipPath }>;
  /** Returns a page for each request, in their order, by one SQL statement. @throws AppError SOURCE_UNAVAILABLE as above */
  owned(requests: readonly OwnedRequest[]): Promise<FromVersion & { readonly pages: readonly OwnedPage[] }>;
}
