import { ListFileError } from '../registry/list-file.ts';
import type { ListSummary } from '../registry/registry.ts';
import type { CompositionRow } from './row.ts';

/** Maximum shares of rows. In the version that was measured no row lacked its society, and 6.3 % had no numeric share. */
const MAX_LOST = 0.0001;
const MAX_UNREAD = 0.001;
const MAX_UNKNOWN_SHARES = 0.1;
const MAX_OUT_OF_BOUNDS = 0.015;
/** Number of rows that each of these limits allows in any file. */
const ALLOWED = 3;

/** Summary of a file. `edges`: number of owners that are companies. */
export type CompositionSummary = ListSummary & { readonly edges: number };

/** Counts of the rows of a file, by which it is accepted or refused. */
export class RowCounts {
  #lines = 0;
  #edges = 0;
  #lost = 0;
  #unread = 0;
  #unknownShares = 0;
  #outOfBounds = 0;

  /** Adds the rows of one line. */
  add(rows: readonly CompositionRow[]): void {
    this.#lines += 1;
    for (const row of rows) {
      if (row.kind === 'lost') {
        this.#lost += 1;
        continue;
      }
      if (row.kind === 'unread') this.#unread += 1;
      if (row.kind === 'company') this.#edges += 1;
      const { problem } = row.share;
      if (problem === 'out_of_bounds') this.#outOfBounds += 1;
      else if (problem !== null && row.kind !== 'unread') this.#unknownShares += 1;
    }
  }

  /** @throws ListFileError for a file that has too many rows that cannot be read, or no owner that is a company */
  assertReadable(): void {
    if (this.#lines === 0) throw new ListFileError('the file holds no rows');
    if (this.#isMany(this.#lost, MAX_LOST))
      throw new ListFileError(`${this.#lost} of ${this.#lines} rows name no company whose owners they are`);
    if (this.#isMany(this.#unread, MAX_UNREAD))
      throw new ListFileError(`${this.#unread} of ${this.#lines} rows have an owner that cannot be read`);
    if (this.#edges === 0) throw new ListFileError('no owner is a company');
  }

  summary(): Omit<CompositionSummary, 'publishedOn'> {
    return {
      rowsRead: this.#lines,
      rowsSkipped: this.#unread + this.#lost,
      rowsUnmatched: this.#lost,
      edges: this.#edges,
      implausible: this.#implausible(),
    };
  }

  /** Returns the reason for which the shares are not plausible. An operator who has looked at the file may load it all the same. */
  #implausible(): ListSummary['implausible'] {
    if (this.#isMany(this.#unknownShares, MAX_UNKNOWN_SHARES))
      return { reason: 'unknown_shares', why: `${this.#unknownShares} of ${this.#lines} shares are blank or cannot be read` };
    return this.#isMany(this.#outOfBounds, MAX_OUT_OF_BOUNDS)
      ? { reason: 'shares_out_of_bounds', why: `${this.#outOfBounds} of ${this.#lines} shares are below 0 or above 100` }
      : null;
  }

  #isMany(count: number, share: number): boolean {
    return count > Math.max(ALLOWED, this.#lines * share);
  }
}
