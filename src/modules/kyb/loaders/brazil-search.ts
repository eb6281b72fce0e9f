import { createHash } from 'node:crypto';
import { derive } from '../../../domain/answer.ts';
import { invalidInput } from '../../../domain/errors.ts';
import { maskCpfsInName } from '../../../domain/personal-ids.ts';
import { isIsoDate } from '../../../domain/time.ts';
import type { FetchingLoader, Offered } from '../../../loaders/loader.ts';
import { copyLoader } from '../../../loaders/registry-copy.ts';
import { companyMessages } from '../../../messages/companies.ts';
import { nameWords, plainName } from '../../../sources/receita-federal/copy/name-words.ts';
import { type NamedEstablishment, type NamedEstablishments, readByName } from '../../../sources/receita-federal/copy/names.ts';
import { type NameQuery, type TermGroup, wordsOfRank } from '../../../sources/receita-federal/copy/store/find-by-name.ts';
import { type CompanyFilter, type FoundCompanies, type FoundCompany, SIZE_CODES } from '../domain/company-search.ts';
import { requireLength, requireWords, type SearchPage } from './search-page.ts';

/** A search of the companies of Brazil. */
export interface BrazilSearch extends SearchPage {
  readonly conditions: Omit<NameQuery, 'limit' | 'after'>;
  /** Text that is equal for the pages of one search and differs for others. */
  readonly fingerprint: string;
}

/** Creates the conditions of a search and its fingerprint. @throws AppError INVALID_INPUT, with the names of the fields of REST */
export function parseBrazilSearch(name: string, filter: CompanyFilter): Omit<BrazilSearch, keyof SearchPage> {
  const words = parseWords(name);
  const { municipality, openedFrom: startedFrom = null, openedTo: startedTo = null } = filter;
  if (startedFrom !== null && !isIsoDate(startedFrom)) throw invalidInput('filter.opened_from', companyMessages.dayNotReal());
  if (startedTo !== null && !isIsoDate(startedTo)) throw invalidInput('filter.opened_to', companyMessages.dayNotReal());
  if (startedFrom !== null && startedTo !== null && startedFrom > startedTo)
    throw invalidInput('filter.opened_to', companyMessages.lastBeforeFirst());
  const place = municipality?.trim() ?? '';
  const isCode = /^\d{1,4}$/.test(place);
  const placeName = plainName(place);
  if (municipality != null && (placeName === '' || place.length > MAX_PLACE))
    throw invalidInput('filter.municipality', companyMessages.municipality());
  const conditions = {
    words,
    conditions: [
      ...termsOf(filter).map((term) => ({ terms: [term], isPrefix: false })),
      ...(isCode ? [{ terms: [`m${Number(place)}`], isPrefix: false }] : []),
      ...activityOf(filter),
      ...yearsOf(startedFrom, startedTo),
    ],
    municipality: isCode || place === '' ? null : placeName,
    startedFrom,
    startedTo,
  };
  return { conditions, fingerprint: createHash('sha256').update(JSON.stringify(conditions)).digest('base64url').slice(0, 12) };
}

const MAX_PLACE = 60;
const MASKED_CPF = /\*{3}\.?\d{3}\.?\d{3}-?\*{2}/;

/** @throws AppError INVALID_INPUT for a CPF, too, because people are not searched */
function parseWords(name: string): readonly string[] {
  requireLength(name);
  if (maskCpfsInName(name) !== name || MASKED_CPF.test(name)) throw invalidInput('name', companyMessages.nameWithCpf());
  const words = requireWords(nameWords(name), companyMessages.wordBesidesForm());
  if (words.join('').length < 2) throw invalidInput('name', companyMessages.twoCharacters());
  return words;
}

/** Returns the terms of the conditions that have one value. @throws AppError INVALID_INPUT */
function termsOf({ status, state, legalNature, size, isHeadOffice }: CompanyFilter): readonly string[] {
  const uf = state?.trim().toUpperCase();
  const nature = legalNature?.replace(/[\s-]/g, '');
  if (status === 'not_found') throw invalidInput('filter.status', companyMessages.unregistered());
  if (uf !== undefined && !/^[A-Z]{2}$/.test(uf)) throw invalidInput('filter.state', companyMessages.state());
  if (nature !== undefined && !/^\d{4}$/.test(nature)) throw invalidInput('filter.legal_nature', companyMessages.legalNature());
  return [
    ...(status ? [status === 'active' ? 'a1' : 'a0'] : []),
    ...(uf ? [`u${uf}`] : []),
    ...(nature ? [`j${Number(nature)}`] : []),
    ...(size ? [`z${SIZE_CODES[size]}`] : []),
    ...(isHeadOffice == null ? [] : [isHeadOffice ? 'h1' : 'h0']),
  ];
}

/** @throws AppError INVALID_INPUT */
function activityOf({ activity }: CompanyFilter): readonly TermGroup[] {
  if (activity == null) return [];
  const digits = activity.replace(/[\s./-]/g, '');
  if (!/^\d{2,7}$/.test(digits)) throw invalidInput('filter.activity', companyMessages.activity());
  // the index has the first two and four digits, and all seven
  const letter = digits.length === 2 ? 'e' : digits.length <= 4 ? 'd' : 'c';
  return [{ terms: [`${letter}${digits}`], isPrefix: ![2, 4, 7].includes(digits.length) }];
}

/** Years of the first and the last start that the registry can have. */
const [FIRST_YEAR, LAST_YEAR] = [1800, 2199];

/** Returns the years between two dates, which narrow the search before the dates themselves are compared. */
function yearsOf(from: string | null, to: string | null): readonly TermGroup[] {
  if (from === null && to === null) return [];
  const first = Math.max(FIRST_YEAR, Number(from?.slice(0, 4) ?? FIRST_YEAR));
  const last = Math.min(LAST_YEAR, Number(to?.slice(0, 4) ?? LAST_YEAR));
  return [{ terms: Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => `y${first + i}`), isPrefix: false }];
}

const searchKey = ({ fingerprint, first, after }: BrazilSearch): string => [fingerprint, first, after?.rank, after?.taxId].join('|');

const registryNames: FetchingLoader<BrazilSearch, NamedEstablishments> = copyLoader({
  name: 'receita_names',
  key: searchKey,
  read: (copy, searches) => readByName(copy, searches.map(queryOf)),
});

const queryOf = ({ conditions, first, after }: BrazilSearch): NameQuery => ({
  ...conditions,
  limit: first + 1,
  after: after && { rank: after.rank, cnpj: after.taxId },
});

/**
 * BrazilSearch → establishments of Brazil by legal or trade name, from the own copy of the tax registry, one statement per page. A page
 * for a municipality that the registry does not have is not counted.
 * @throws AppError SOURCE_NOT_CONFIGURED without a copy, SOURCE_UNAVAILABLE
 */
export const brazilSearchLoader: Offered<BrazilSearch, FoundCompanies> = {
  name: 'brazil_search',
  module: 'kyb',
  key: searchKey,
  counts: ({ hasMunicipality }) => hasMunicipality,
  async answer(search, load) {
    return derive(await load(registryNames, search), (page) => toFoundPage(page, search));
  },
};

const toFoundPage = (page: NamedEstablishments, { first, conditions: { words } }: BrazilSearch): FoundCompanies => ({
  companies: page.items.slice(0, first).map((item) => toFound(item, words.length)),
  hasMore: page.items.length > first,
  limitedBy: limitOf(page),
  searched: ['legal_name', 'trade_name'],
  hasMunicipality: page.hasMunicipality,
});

function limitOf({ level, isCut, hasMoreWords, lacksRows }: NamedEstablishments): FoundCompanies['limitedBy'] {
  if (level > 0) return 'common_words';
  if (isCut) return 'many_names';
  if (hasMoreWords) return 'many_completions';
  return lacksRows ? 'unread_rows' : null;
}

/** @param words number of searched words */
const toFound = ({ cnpj, isActive, startedOn, matched, ...item }: NamedEstablishment, words: number): FoundCompany => ({
  taxId: cnpj,
  name: item.name,
  tradeName: item.tradeName,
  status: isActive ? 'active' : 'inactive',
  municipality: item.municipality,
  state: item.state,
  openedOn: startedOn,
  matchedOn: matched === 'legal' ? 'legal_name' : 'trade_name',
  score: Math.min(1_000, Math.round((words / wordsOfRank(item.rank)) * 1_000)),
  rank: item.rank,
});
