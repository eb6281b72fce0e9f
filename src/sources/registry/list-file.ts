/** Maximum length of a row of a csv, in characters. */
export const MAX_RECORD_CHARACTERS = 1024 ** 2;

/**
 * A file that does not match its list's format: truncated, other columns, not well-formed, empty. `message` is for the operator and
 * contains no row content.
 */
export class ListFileError extends Error {
  override readonly name = 'ListFileError';
}

/** Recovery of records with quotes that are not doubled. */
export interface QuoteRecovery {
  /** Number of columns of a record. */
  readonly width: number;
  /** Called for a record that cannot be recovered and is skipped. */
  readonly onLost: () => void;
}

export interface RowsOptions {
  readonly delimiter: ';' | ',' | '|';
  readonly relaxColumns?: boolean;
  /** Share of rows (0–1) that may be malformed and are then skipped; default 0. The end of the file must be intact in any case. */
  readonly tolerated?: number;
  /** Recovers records with quotes that are not doubled, in a csv whose records begin with a number at the start of a line. */
  readonly recovery?: QuoteRecovery;
}

/** A downloaded list on disk, decompressed and decoded while it is read. */
export interface ListFile {
  readonly format: 'csv' | 'xml' | 'xlsx';
  /** Name of the file itself (of the zip member, if it was zipped), e.g. `20260930_CEIS.csv`. */
  readonly name: string;
  /** ISO date in the file's name, or the requested `{date}`; null without either. */
  readonly nameDate: string | null;
  /** ISO date of the `Last-Modified` header; null when there was none. */
  readonly lastModified: string | null;
  /** ISO date on which a file of a zip was last written before it was packed; null for another file, and for a zip without dates. */
  readonly writtenOn: string | null;
  /** False for a text that is no file of a zip and whose last line has no end, so that it may be cut. */
  readonly isEnded: boolean;
  /**
   * Reads the text of a csv or xml in order, decoded strictly: UTF-8 when the bytes are valid UTF-8, else Windows-1252 (csv) or as it
   * declares (xml); UTF-16 by its byte order mark. Blanks, NULs and Ctrl-Zs at the very end are dropped.
   * @throws ListFileError for text that cannot be decoded, and for an xlsx
   */
  text(): AsyncIterable<string>;
  /**
   * Reads the rows of a csv (or of the first sheet of an xlsx) as trimmed cells, in order, without empty lines. Cells of an xlsx become
   * the text of a csv: dates DD/MM/YYYY, numbers plain digits. Every cell is storable.
   * @throws ListFileError for an open quote, a row with more or fewer cells than the first (unless `relaxColumns`), text that cannot be
   * decoded, and for an xml
   */
  rows(options: RowsOptions): AsyncIterable<readonly string[]>;
  /**
   * Opens a file published beside this one (same zip, else same folder), e.g. `alt.csv`; null if there is none.
   * @param query query of its address, for an API; the query of this file's address unless given
   * @throws DownloadFailure when the publisher does not answer, ListFileError for an HTML page instead of a list
   */
  companion(name: string, query?: Readonly<Record<string, string>>): Promise<ListFile | null>;
}
