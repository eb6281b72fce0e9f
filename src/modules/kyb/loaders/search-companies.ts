import type { RequestContext } from '../../../context.ts';
import type { Answer } from '../../../domain/answer.ts';
import { requireCountry } from '../../../domain/company.ts';
import { invalidInput } from '../../../domain/errors.ts';
import { cursorNumber, parseCursor, toCursor } from '../../../domain/paging.ts';
import { companyMessages } from '../../../messages/companies.ts';
import type { CompanyFilter, FoundCompanies, FoundCompany } from '../domain/company-search.ts';
import { brazilSearchLoader, parseBrazilSearch } from './brazil-search.ts';
import { chileSearchLoader, parseChileSearch } from './chile-search.ts';
import type { SearchPage } from './search-page.ts';

/** A search of companies, as a caller writes it. */
export interface SearchRequest {
  readonly name: string;
  readonly country: string;
  readonly filter: CompanyFilter | null;
  /** Number of companies, 1 to 100. */
  readonly first: number;
  /** Cursor of the last company of the previous page. */
  readonly after: string | null;
}

/** A page of companies. */
export interface SearchAnswer extends Answer<FoundCompanies> {
  readonly country: 'BR' | 'CL';
  /** Returns the cursor of a company of the page. */
  readonly cursorOf: (company: FoundCompany) => string;
}

/**
 * Finds companies by name. A cursor belongs to its search: a cursor of another name, country or filter is refused.
 * @throws AppError UNSUPPORTED_COUNTRY; INVALID_INPUT, with the names of the fields of REST; the errors of the loaders
 */
export async function searchCompanies({ name, country, filter, first, after }: SearchRequest, ctx: RequestContext): Promise<SearchAnswer> {
  const served = requireCountry(country, ['BR', 'CL'], 'The search by name');
  return served === 'BR' ? searchBrazil() : searchChile();

  async function searchBrazil(): Promise<SearchAnswer> {
    const search = parseBrazilSearch(name, filter ?? {});
    const { fingerprint } = search;
    const position = after === null ? null : brazilianPosition(after, fingerprint);
    const answer = await ctx.ask(brazilSearchLoader, { ...search, first, after: position });
    if (!answer.value.hasMunicipality) throw invalidInput('filter.municipality', companyMessages.noMunicipality());
    return { ...answer, country: 'BR', cursorOf: ({ rank, taxId }) => toCursor('search', [fingerprint, String(rank), taxId]) };
  }

  async function searchChile(): Promise<SearchAnswer> {
    if (filter !== null && Object.values(filter).some((value) => value != null))
      throw invalidInput('filter', companyMessages.chileByName());
    const search = parseChileSearch(name, { first, after: after === null ? null : chileanPosition(after) });
    const answer = await ctx.ask(chileSearchLoader, search);
    return { ...answer, country: 'CL', cursorOf: ({ rank, taxId }) => toCursor('company', [String(rank), taxId]) };
  }
}

const notACursor = () => invalidInput('after', companyMessages.notACursorOfSearch());

/** @throws AppError INVALID_INPUT */
function brazilianPosition(cursor: string, fingerprint: string): SearchPage['after'] {
  const [search, rank, taxId] = parseCursor('search', 3, cursor);
  if (!search || !/^\d{1,6}$/.test(rank ?? '') || !taxId || !/^[\dA-Z]{12}\d{2}$/.test(taxId)) throw notACursor();
  if (search !== fingerprint) throw invalidInput('after', companyMessages.otherSearch());
  return { rank: cursorNumber(rank), taxId };
}

/** @throws AppError INVALID_INPUT */
function chileanPosition(cursor: string): SearchPage['after'] {
  const [score, taxId] = parseCursor('company', 2, cursor);
  if (!/^\d{1,4}$/.test(score ?? '') || !taxId || !/^\d{7,8}[\dK]$/.test(taxId)) throw notACursor();
  return { rank: cursorNumber(score), taxId };
}
