import { bareId } from '../../../domain/tax-id.ts';
import {
  DocumentCounts,
  type DocumentHolder,
  type HolderDocuments,
  holderKeys,
  holderOf,
  isNameless,
  isWithoutText,
} from '../../../sources/registry/company-documents.ts';
import { columnName, rowIds } from '../../../sources/registry/csv-table.ts';
import { ListFileError } from '../../../sources/registry/list-file.ts';
import type { ListSummary } from '../../../sources/registry/registry.ts';

/** A row that is kept: its id on the list, and the company that it names. */
export interface KeptRow {
  readonly id: string;
  readonly keys: readonly string[];
  readonly documents: HolderDocuments;
}

/**
 * The holder of a row of these lists. An unidentified one is a company whose id the row lacks; a foreign one has none.
 */
export type ListedHolder = DocumentHolder | { readonly kind: 'foreign' };

/** Maximum length of a number that becomes part of an id. The numbers of the lists have at most 25 characters. */
const MAX_NUMBER = 60;

/**
 * Decides which rows of a list are kept, and counts the others. Rows of people are not kept at all: the lists about companies and people
 * (TCU, Central Bank) are read for the companies only.
 */
export class CompanyRows {
  readonly #documents: DocumentCounts;
  readonly #idOf = rowIds();
  #read = 0;
  #skipped = 0;
  #foreign = 0;

  /** @param column name of the column with the documents, for messages */
  constructor(column: string) {
    this.#documents = new DocumentCounts(column);
  }

  /**
   * Returns what is kept of a row; null for a person, for a row that is no record, and for one that equals an earlier one in every cell.
   * @param name printed name of the holder
   * @param number number of the row within its company, such as that of the process
   */
  take(holder: ListedHolder, name: string, number: string, row: readonly string[]): KeptRow | null {
    this.#read += 1;
    if (holder.kind === 'foreign') this.#foreign += 1;
    else this.#documents.add(holder, name);
    const named = keysOf(holder);
    const isKept = named !== null && holder.kind !== 'person' && !(holder.kind === 'unreadable' && isNameless(name) && isNoRecord(row));
    if (!isKept || named.documents.document === '') this.#skipped += 1;
    if (!isKept) return null;
    const id = this.#idOf(`${named.documents.document}:${number.slice(0, MAX_NUMBER)}`, row);
    return id === null ? null : { id, ...named };
  }

  /** Counts rows of people that the reader did not pass to `take`. */
  skip(rows: number): void {
    this.#read += rows;
    this.#skipped += rows;
  }

  /** @throws ListFileError for more unreadable documents than a published list has, and for one in which most companies have no CNPJ */
  summary(publishedOn: string | null): ListSummary {
    this.#documents.assertFew();
    if (this.#foreign * 2 > this.#read) throw new ListFileError(`${this.#foreign} of ${this.#read} rows have no CNPJ`);
    const rowsUnmatched = this.#documents.unmatched + this.#foreign;
    return { publishedOn, rowsRead: this.#read, rowsSkipped: this.#skipped, rowsUnmatched };
  }
}

/** Matches the label of a sum: `TOTAL`, `TOTAL DE REGISTROS: 3.812`. */
const SUM = /^(?:SUB)?TOTAL(?: GERAL| DE [A-Z]{1,20})?[ :=.\d]{0,20}$/;

/** True for a row that divides, heads or counts the records: it has at most one cell with a text, or begins with the label of a sum. */
function isNoRecord(row: readonly string[]): boolean {
  const texts = row.filter((cell) => !isWithoutText(cell));
  return texts.length <= 1 || SUM.test(columnName(texts[0] ?? ''));
}

/**
 * Returns the documents and the keys of a row. That of a foreign company is kept by name, and no look-up by CNPJ finds it. One that lacks its
 * id is compared by name.
 */
function keysOf(holder: ListedHolder): ReturnType<typeof holderKeys> {
  if (holder.kind === 'foreign') return { documents: { document: '' }, keys: [] };
  return holderKeys(holder.kind === 'unidentified' ? { kind: 'unreadable' } : holder);
}

/** Reads the document of a list about companies, or the id within the name beside it. */
export const companyOf = (cell: string, name: string): DocumentHolder => holderOf(cell, 'J', name);

/**
 * Reads the document of a list about companies and people: one of 11 digits, or with a mask of `*` or `X`, is the CPF of a person. Eleven
 * digits that are no CPF and are a CNPJ without its left zeros are a company's.
 */
export function companyOrPersonOf(cell: string, name: string): DocumentHolder {
  const holder = holderOf(cell, null, name);
  if (holder.kind === 'person' || (holder.kind === 'company' && !holder.damaged)) return holder;
  const isPersons = /^[\dX]{11}$/i.test(bareId(cell)) || (cell.includes('*') && !cell.includes('/'));
  return isPersons ? { kind: 'person', cpf: '' } : companyOf(cell, name);
}
