import type { Copy } from '../copy.ts';
import type { ListVersion } from '../source.ts';
import type { SiiCompany } from './company.ts';

/** What a look-up found. */
export interface SiiHits {
  readonly version: ListVersion;
  /** Epoch ms after which this must not be relied on. */
  readonly goodUntil: number;
  /** By bare RUT; a RUT that the registry does not have is missing. */
  readonly companies: ReadonlyMap<string, SiiCompany>;
}

/** The Chilean tax registry: its public files, copied to Postgres. */
export interface Sii extends Copy {
  /**
   * Bare RUTs → what the registry has of them, in one SQL statement.
   * @throws AppError SOURCE_UNAVAILABLE when the files were never loaded, are overdue or cannot be read
   */
  companies(ruts: readonly string[]): Promise<SiiHits>;
}
