import { maskCpfs, maskCpfsInName } from '../../../domain/personal-ids.ts';
import { isProblem, readNit, strip } from '../../../domain/tax-id.ts';
import { folded, MAX_LENGTHS, storable } from '../../../domain/text.ts';
import { isIsoDate } from '../../../domain/time.ts';
import { unreadableRowsOf } from '../../../sources/registry/company-documents.ts';
import { fingerprint } from '../../../sources/registry/copy-sync.ts';
import { ColumnErrors } from '../../../sources/registry/csv-table.ts';
import type { ListEntry, ListSummary } from '../../../sources/registry/registry.ts';
import { stated } from '../../../sources/socrata/soda.ts';

/** A contract fine as a list has it. Dates are ISO. See `ContractFine`. */
export interface FineEntry {
  /** Name of the contractor of a fine that cannot be assigned to a company; else empty. */
  readonly name: string;
  readonly entity: string;
  readonly entityTaxId: string | null;
  readonly kind: string | null;
  readonly amountCop: number | null;
  readonly resolution: string | null;
  readonly date: string | null;
  readonly contract: string | null;
  readonly processId: string | null;
  readonly processUrl: string | null;
}

/** The contractor that a document identifies. `nit` has nine digits. */
export type Contractor = { readonly kind: 'company'; readonly nit: string } | { readonly kind: 'person' } | { readonly kind: 'unreadable' };

/** The NITs of companies begin with 8 or 9, those of people do not. */
const COMPANY_NIT = /^[89]\d{8}$/;
/** Documents of people: identity cards have five to eight digits, or ten that begin with 1. */
const PERSONS_DOCUMENT = /^(?!0|[89]\d{8,9}$)\d{5,10}$/;
/** Matches what is written for a document that is not known: one repeated digit, a check digit after nine of them, and `123456789`. */
const PLACEHOLDER = /^(?:(\d)\1+|(\d)\2{8}\d|123456789)$/;
/** Matches a name in lower case that ends in a legal form of Colombian companies. */
const COMPANY_NAME = /[ .,](?:s\.?\s?a\.?(?:\s?s\.?)?|ltda\.?|limitada|e\.?\s?u\.?|s\.?\s?en\s?c\.?(?:\s?[sa]\.?)?)$/;

/**
 * Reads the document of a contractor, which is a NIT with or without its check digit, or that of a person: the lists do not say which. Ten
 * digits that begin with 8 or 9 and end in a wrong check digit are a damaged NIT. Beside the name of a company, what looks like a person's
 * document is the rest of a NIT.
 */
export function contractorOf(document: string, name = ''): Contractor {
  const nit = readNit(document);
  const base = isProblem(nit) ? '' : nit.slice(0, -1);
  if (COMPANY_NIT.test(base)) return { kind: 'company', nit: base };
  const bare = strip(document).replace(/^0+/, '');
  const isPersons = PERSONS_DOCUMENT.test(bare) && !PLACEHOLDER.test(bare) && !COMPANY_NAME.test(folded(name));
  return { kind: isPersons ? 'person' : 'unreadable' };
}

/** Share of cells of a column that cannot be read up to which a file is accepted. */
export const MAX_UNREADABLE = 0.05;
const FLOATING = /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d:\d\d(?:\.\d{1,9})?)?$/;
/** Years of dates. Public contracts have been published since the nineties. */
const FIRST_DATE = '1990-01-01';
const LAST_DATE = '2100-01-01';
const MAX_URL = 2_000;

/** Names of the columns, for messages. */
interface Columns {
  readonly document: string;
  readonly amount: string;
  readonly date: string;
}

/** Decides which fines are kept, reads their columns, and counts what is not kept and what cannot be read. */
export class FineRows {
  readonly #documents: ColumnErrors;
  readonly #amounts: ColumnErrors;
  readonly #dates: ColumnErrors;
  readonly #ids = new Set<string>();
  #skipped = 0;
  #unmatched = 0;

  constructor({ document, amount, date }: Columns) {
    this.#documents = new ColumnErrors(document, MAX_UNREADABLE);
    this.#amounts = new ColumnErrors(amount, MAX_UNREADABLE);
    this.#dates = new ColumnErrors(date, MAX_UNREADABLE);
  }

  /** Reads a document and counts whether it can be read. */
  contractor(document: string, name: string): Contractor {
    const contractor = contractorOf(document, name);
    this.#documents.add(contractor.kind !== 'unreadable');
    return contractor;
  }

  /** Reads an amount in COP; null for an empty cell, and for a text that is no amount. */
  amount(cell: string): number | null {
    const isAmount = /^\d{1,15}(?:\.\d{1,6})?$/.test(cell);
    this.#amounts.add(isAmount || cell === '');
    return isAmount ? Number(cell) : null;
  }

  /** Reads a time without a zone as its ISO date; null for an empty cell, and for a date that cannot be right. */
  date(cell: string): string | null {
    const day = FLOATING.exec(cell)?.[1] ?? '';
    const isDate = isIsoDate(day) && day >= FIRST_DATE && day < LAST_DATE;
    this.#dates.add(isDate || cell === '');
    return isDate ? day : null;
  }

  /** Counts rows that are about no company. */
  skip(rows = 1): void {
    this.#skipped += rows;
  }

  /** Counts a fine whose contractor is not printed at all. */
  lose(): void {
    this.#unmatched += 1;
  }

  /**
   * Returns the entry of a fine; null for that of a person, and for one that was taken before. A fine that cannot be assigned to a company
   * keeps the name of its contractor, with which the names of companies are compared.
   * @param key values that identify the fine among those of its contractor
   */
  take(
    contractor: Contractor,
    name: string,
    key: readonly (string | number | null)[],
    fine: Omit<FineEntry, 'name'>,
  ): ListEntry<FineEntry> | null {
    const isCompany = contractor.kind === 'company';
    const id = `${isCompany ? contractor.nit : '?'}:${fingerprint(JSON.stringify(isCompany ? key : [name, ...key]))}`;
    if (contractor.kind === 'person' || this.#ids.has(id)) {
      this.skip();
      return null;
    }
    this.#ids.add(id);
    if (isCompany) return { id, keys: [`CO:${contractor.nit}`], record: { name: '', ...fine } };
    this.lose();
    const printed = maskCpfsInName(storable(name, MAX_LENGTHS.name));
    return { id, keys: [unreadableRowsOf('CO')], record: { name: printed, ...fine } };
  }

  /** @throws ListFileError for more cells that cannot be read than a published file has */
  summary(publishedOn: string | null, rowsRead: number): ListSummary {
    for (const errors of [this.#documents, this.#amounts, this.#dates]) errors.assertFew();
    return { publishedOn, rowsRead, rowsSkipped: this.#skipped, rowsUnmatched: this.#unmatched };
  }
}

/** Returns a printed text; null for an empty one and for `No Definido`. */
export function printed(cell: string): string | null {
  const text = stated(cell);
  return text === null ? null : maskCpfs(storable(text, MAX_LENGTHS.label));
}

/** Matches digits alone, and an id that SECOP II has made, such as `CO1.PCCNTR.1234567`, whose number is shorter than a CPF. */
const PORTAL_ID = /^(?:\d+|CO1\.[A-Z_]{2,20}\.\d{1,10})$/;

/**
 * Returns an id of the portal or of a public body as printed; null as `printed`. One in a hundred numbers of eleven digits has the check
 * digits of a CPF by chance, so that an id of digits is not masked. Any other text is: somebody may have typed a CPF with its punctuation.
 */
export function printedId(cell: string): string | null {
  const text = stated(cell);
  return text !== null && PORTAL_ID.test(text) ? storable(text, MAX_LENGTHS.label) : printed(cell);
}

/** Returns an address of the web; null for any other text. */
export const printedUrl = (url: string | null | undefined): string | null =>
  url && url.length <= MAX_URL && /^https?:\/\//i.test(url) && URL.canParse(url) ? url : null;
