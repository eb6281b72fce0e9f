import { COUNTRIES, type CompanyKey, type Country, companyKeyText, readAnyCompanyKey, readCompanyKey } from '../../../domain/company.ts';

/** A row as the caller gave it. */
export interface PortfolioRow {
  /** Row number from 1; for a file, the line at which the row ends. */
  readonly row: number;
  readonly identifier: string;
  /** Country code in any letter case; null to detect the country by the form of the tax id. */
  readonly country: string | null;
  /** Cells of the caller's own columns; null unless they are kept. */
  readonly ownCells: readonly string[] | null;
}

/** A company of a portfolio. */
export interface PortfolioCompany extends CompanyKey, Pick<PortfolioRow, 'row' | 'ownCells'> {}

/** A row that is not checked. */
export interface RejectedRow {
  readonly row: number;
  readonly kind: 'invalid' | 'duplicate';
  /** A sentence for the caller, without the text of the row. */
  readonly reason: string;
}

/** A rejected row to be stored. */
export interface StoredRejectedRow extends RejectedRow, Pick<PortfolioRow, 'ownCells'> {}

/** Sorts the rows of a portfolio into companies, each once, and rejected rows: no row is lost. */
export class Portfolio {
  readonly companies: PortfolioCompany[] = [];
  readonly rejected: StoredRejectedRow[] = [];
  /** Names of the caller's own columns; null unless they are kept. */
  ownColumns: readonly string[] | null = null;
  readonly #served: ReadonlySet<Country>;
  /** Company → number of its first row. */
  readonly #rows = new Map<string, number>();

  /** @param served countries that the modules of the screening serve */
  constructor(served: ReadonlySet<Country>) {
    this.#served = served;
  }

  add({ identifier, country, ...given }: PortfolioRow): void {
    const company = readCompany(identifier, country);
    if (typeof company === 'string') this.rejected.push({ ...given, kind: 'invalid', reason: company });
    else this.#addCompany(given, company);
  }

  #addCompany(given: Pick<PortfolioRow, 'row' | 'ownCells'>, company: CompanyKey): void {
    const text = companyKeyText(company);
    const first = this.#rows.get(text);
    if (!this.#served.has(company.country)) {
      this.rejected.push({ ...given, kind: 'invalid', reason: `No module of this screening is answered for ${company.country}.` });
    } else if (first !== undefined) {
      this.rejected.push({ ...given, kind: 'duplicate', reason: `The same company as in row ${first}.` });
    } else {
      this.#rows.set(text, given.row);
      this.companies.push({ ...company, ...given });
    }
  }
}

/** Returns the company, or the reason why the text does not identify one. */
function readCompany(identifier: string, country: string | null): CompanyKey | string {
  const known = COUNTRIES.find((one) => one === country?.trim().toUpperCase());
  if (country !== null && !known) return `The country is one of ${COUNTRIES.join(', ')}.`;
  const read = known ? readCompanyKey(known, identifier) : readAnyCompanyKey(identifier);
  return 'problem' in read ? read.problem.in('en') : read;
}
