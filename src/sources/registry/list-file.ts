/** Characters of the longest row of a csv that is read. */
export const MAX_RECORD_CHARACTERS = 1024 ** 2;

/**
 * A file that does not match its list's format: truncated, other columns, not well-formed, empty.
 * `message` is for the operator and holds no row content.
 */
export class ListFileError extends Error {
  override readonly name = 'ListFileError';
}

/** How records with quotes that are not doubled are recovered. */
export interface QuoteRecovery {
  /** Columns of a record. */
  readonly width: number;
  /** Called for a record that cannot be recovered and is left out. */
  readonly onLost: () => void;
}

export interface RowsOptions {
  readonly delimiter: ';' | ',';
  readonly relaxColumns?: boolean;
  /** Share of rows (0–1) that may be malformed and are then skipped; 0 by default. The end of the file must be intact in any case. */
  readonly tolerated?: number;
  /** Recovers records with quotes that are not doubled, in a csv whose records begin with a number at the start of a line. */
  readonly recovery?: QuoteRecovery;
}

/** A downloaded list on disk, decompressed and decoded while it is read. */
export interface ListFile {
  readonly format: 'csv' | 'xml' | 'xlsx';
  /** Name of the file itself (of the zip member, if it was zipped), e.g. `20260930_CEIS.csv`. */
  readonly name: string;
  /** ISO date in the file's name, else the `{date}` requested; null when there is neither. */
  readonly nameDate: string | null;
  /** ISO date of the `Last-Modified` header; null when there was none. */
  readonly lastModified: string | null;
  /**
   * Text of a csv or xml in order, decoded strictly: UTF-8 when the bytes are valid UTF-8, else Windows-1252 (csv) or as it
   * declares (xml); UTF-16 by its byte order mark. Blanks, NULs and Ctrl-Zs at the very end are dropped.
   * @throws ListFileError for text that cannot be decoded, and for an xlsx
   */
  text(): AsyncIterable<string>;
  /**
   * Rows of a csv (or of the first sheet of an xlsx) as trimmed cells, in order; empty lines are left out. Cells of an xlsx
   * become text as a csv would have it: dates DD/MM/YYYY, numbers plain digits. Every cell is storable.
   * @throws ListFileError for an open quote, a row with more or fewer cells than the first (unless `relaxColumns`), text that
   * cannot be decoded, and for an xml
   */
  rows(options: RowsOptions): AsyncIterable<readonly string[]>;
  /**
   * A file published beside this one (same zip, else same folder), e.g. `alt.csv`; null when there is none.
   * @throws DownloadFailure when the publisher cannot say, ListFileError for an HTML page in its place
   */
  companion(name: string): Promise<ListFile | null>;
}
