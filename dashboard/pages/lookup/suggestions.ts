import { formatTaxId } from '../../../src/domain/company.ts';
import { suggestedCompanyKeys } from '../../../src/domain/tax-id-suggestions.ts';
import { folded } from '../../../src/domain/text.ts';
import { type Client, requireData } from '../../api/client.ts';
import { type Country, FindByDomain, FindByName } from '../../api/operations.ts';
import { companyId, type DashboardState, type WatchedCompany } from '../../state/model.ts';
import type { TextKey } from '../../texts/texts.ts';

/** Countries whose companies can be found by name. */
export const NAMED_COUNTRIES = ['BR', 'CL'] as const;
export type NamedCountry = (typeof NAMED_COUNTRIES)[number];

/** A company that the box offers to open. */
export interface CompanyOption {
  readonly kind: 'company';
  readonly country: Country;
  readonly identifier: string;
  readonly formattedIdentifier: string;
  /** Name; null if it is not known. */
  readonly name: string | null;
  /** Municipality of a company that was found by name; null for none. */
  readonly place: string | null;
  /** `corrected`: the typed check digits do not fit, and these do. */
  readonly origin: 'exact' | 'corrected' | 'watched' | 'found';
}

/** A choice of the box: to open a company, or to search for one or open the results, which count on the key's plan. */
export type LookupOption =
  | CompanyOption
  | { readonly kind: 'domain'; readonly domain: string }
  | { readonly kind: 'name'; readonly country: NamedCountry; readonly name: string }
  /** The page with all results of a search by name. */
  | { readonly kind: 'results'; readonly country: NamedCountry; readonly name: string };

/** The options for a text, and the reason for which there are none. */
export interface Suggested {
  readonly options: readonly LookupOption[];
  readonly hint: TextKey | null;
}

/** Maximum number of watched companies that are offered by name. */
const MAX_WATCHED = 5;
const MIN_NAME = 3;
const DOMAIN = /^(?:https?:\/\/)?(?:[^\s/@]{1,64}@)?((?:[\p{L}\d-]{1,63}\.){1,8}\p{L}{2,24})(?:[/?#:]\S*)?$/iu;

/** Interprets a text that a person types. It sends nothing. No search is offered or refused before the modules of the key are known. */
export function suggestionsFor(text: string, { companies, account }: Pick<DashboardState, 'companies' | 'account'>): Suggested {
  const typed = text.trim();
  if (typed === '') return { options: [], hint: null };
  const ids = idOptions(typed, companies);
  const watched = watchedWith(typed, companies.values());
  if (ids.length > 0) return { options: mergedOptions(ids, watched), hint: null };
  if (!/\p{L}{2}/u.test(typed)) return { options: watched, hint: watched.length > 0 || typed.length < MIN_NAME ? null : 'lookup.notAnId' };
  const domain = DOMAIN.exec(typed)?.[1]?.toLowerCase();
  const modules = account?.modules;
  if (domain !== undefined) {
    if (!/\.(br|cl)$/.test(domain)) return { options: watched, hint: 'lookup.otherDomain' };
    if (!modules) return { options: watched, hint: null };
    if (!modules.includes('ENRICH')) return { options: watched, hint: 'lookup.noModule' };
    return { options: [...watched, { kind: 'domain', domain }], hint: null };
  }
  if (typed.length < MIN_NAME || !modules) return { options: watched, hint: null };
  if (!modules.includes('KYB')) return { options: watched, hint: 'lookup.noModule' };
  const searches = NAMED_COUNTRIES.map((country) => ({ kind: 'name' as const, country, name: typed }));
  return { options: [...watched, ...searches], hint: null };
}

function idOptions(typed: string, companies: DashboardState['companies']): readonly CompanyOption[] {
  const { exact, corrected } = suggestedCompanyKeys(typed);
  const option = (origin: 'exact' | 'corrected') => (key: (typeof exact)[number]) => ({
    kind: 'company' as const,
    country: key.country,
    identifier: key.taxId,
    formattedIdentifier: formatTaxId(key),
    name: origin === 'exact' ? (companies.get(companyId({ country: key.country, identifier: key.taxId }))?.name ?? null) : null,
    place: null,
    origin,
  });
  return [...exact.map(option('exact')), ...corrected.map(option('corrected'))];
}

/** Joins choices, each company once. A watched company precedes a corrected number, because its tax id may be typed in part. */
function mergedOptions(ids: readonly CompanyOption[], watched: readonly CompanyOption[]): readonly CompanyOption[] {
  const of = (wanted: CompanyOption['origin']) => ids.filter(({ origin }) => origin === wanted);
  const all = [...of('exact'), ...watched, ...of('corrected')];
  return all.filter((option, at) => all.findIndex((one) => companyId(one) === companyId(option)) === at);
}

/** Returns the watched companies whose name has the text, or whose tax id begins with it. */
function watchedWith(typed: string, companies: Iterable<WatchedCompany>): readonly CompanyOption[] {
  const [words, digits] = [folded(typed), typed.replace(/[^\dA-Za-z]/g, '').toUpperCase()];
  const options: CompanyOption[] = [];
  for (const { country, identifier, formattedIdentifier, name } of companies) {
    const isMeant = (digits.length >= MIN_NAME && identifier.startsWith(digits)) || (name !== null && folded(name).includes(words));
    if (isMeant) options.push({ kind: 'company', country, identifier, formattedIdentifier, name, place: null, origin: 'watched' });
    if (options.length === MAX_WATCHED) break;
  }
  return options;
}

/** Result of a search. */
export interface Searched {
  readonly companies: readonly CompanyOption[];
  /** Text about the result; null if the companies say all. */
  readonly hint: TextKey | null;
  /** True if the search has further companies. */
  readonly hasMore: boolean;
}

type Found = Pick<CompanyOption, 'country' | 'identifier' | 'formattedIdentifier'>;
const foundOption = (company: Found, name: string | null, place: string | null): CompanyOption => {
  const { country, identifier, formattedIdentifier } = company;
  return { kind: 'company', country, identifier, formattedIdentifier, name, place, origin: 'found' };
};

/** Finds the company of a domain, or the companies that its site names. @throws QuipuError */
export async function searchDomain(client: Client, domain: string): Promise<Searched> {
  const { data, errors } = await client.ask(FindByDomain, { domain });
  const { company, candidates, reason } = requireData({ data: data?.domainOwner ?? null, errors });
  if (company) return { companies: [foundOption(company, null, domain)], hint: null, hasMore: false };
  const companies = candidates.map((one) => foundOption(one.company, null, domain));
  return { companies, hint: reason && `lookup.domain.${reason}`, hasMore: false };
}

/** Finds companies by name. @throws QuipuError SOURCE_NOT_CONFIGURED for a registry without a copy, and others */
export async function searchName(client: Client, { country, name }: { country: NamedCountry; name: string }): Promise<Searched> {
  const { data, errors } = await client.ask(FindByName, { name, country });
  const { nodes, isTruncated, pageInfo } = requireData({ data: data?.searchCompanies ?? null, errors });
  const companies = nodes.map((one) => foundOption(one.company, one.name, placeOf(one)));
  const hasMore = pageInfo.hasNextPage;
  if (companies.length === 0) return { companies, hint: 'lookup.nothing', hasMore };
  return { companies, hint: isTruncated && !hasMore ? 'lookup.more' : null, hasMore };
}

/** Returns the municipality and the state of a company that was found by name; null for none. */
export const placeOf = ({ municipality, state }: { readonly municipality: string | null; readonly state: string | null }): string | null =>
  [municipality, state].filter(Boolean).join(', ') || null;
