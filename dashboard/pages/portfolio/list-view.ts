import type { Country } from '../../api/operations.ts';
import type { WatchedCompany } from '../../state/model.ts';
import { oneOf, type Parameters } from '../../ui/query.ts';

/** Columns by which the list can be sorted, in their order. */
export const COLUMNS = ['name', 'country', 'level', 'owners', 'tags', 'since', 'changed'] as const;
export type Column = (typeof COLUMNS)[number];

/** Levels of the filter. `INCOMPLETE` are verdicts that lack a source, `NONE` companies that were not assessed. */
export const LEVEL_FILTERS = ['HIGH', 'MEDIUM', 'LOW', 'INCOMPLETE', 'NONE'] as const;
export type LevelFilter = (typeof LEVEL_FILTERS)[number];

export const COUNTRY_FILTERS: readonly Country[] = ['BR', 'CL', 'CO'];

/** The filters and the order of the list, as the address states them. An empty filter selects all companies. */
export interface View {
  /** Part of a name or tax id. */
  readonly text: string;
  readonly level: LevelFilter | '';
  readonly country: Country | '';
  /** True: only companies that have owners to review. */
  readonly hits: boolean;
  readonly tag: string;
  readonly sort: Column;
  readonly isDescending: boolean;
  /** Page of the list, from 1. */
  readonly page: number;
}

/** The highest risk first. */
export const FIRST_VIEW: View = { text: '', level: '', country: '', hits: false, tag: '', sort: 'level', isDescending: true, page: 1 };

/** Reads the parameters of the address. An unknown value is ignored. */
export function readView(given: URLSearchParams): View {
  const [, minus = '', column] = /^(-?)(\w+)$/.exec(given.get('sort') ?? '') ?? [];
  const sort = oneOf(column, COLUMNS);
  const page = Number(given.get('page'));
  return {
    text: given.get('q') ?? '',
    level: oneOf(given.get('level'), LEVEL_FILTERS) ?? '',
    country: oneOf(given.get('country'), COUNTRY_FILTERS) ?? '',
    hits: given.get('owners') === 'hits',
    tag: given.get('tag') ?? '',
    ...(sort ? { sort, isDescending: minus === '-' } : { sort: FIRST_VIEW.sort, isDescending: FIRST_VIEW.isDescending }),
    page: Number.isSafeInteger(page) && page > 1 ? page : 1,
  };
}

/** Returns the parameters of the address; they are empty for the first view. */
export function viewParameters({ text, level, country, hits, tag, sort, isDescending, page }: View): Parameters {
  const isFirst = sort === FIRST_VIEW.sort && isDescending === FIRST_VIEW.isDescending;
  return {
    q: text,
    level,
    country,
    owners: hits ? 'hits' : '',
    tag,
    sort: isFirst ? '' : `${isDescending ? '-' : ''}${sort}`,
    page: page > 1 ? String(page) : '',
  };
}

/** True if a filter leaves out companies. */
export const isFiltered = ({ text, level, country, hits, tag }: View): boolean =>
  text.trim() !== '' || level !== '' || country !== '' || hits || tag !== '';

/** True for a company that the filters select. */
export const isInView = (company: WatchedCompany, { text, level, country, hits, tag }: View): boolean =>
  (country === '' || company.country === country) &&
  (level === '' || hasLevel(company, level)) &&
  (!hits || (company.verdict?.ownersToReview?.total ?? 0) > 0) &&
  (tag === '' || company.tags.includes(tag)) &&
  hasText(company, text.trim().toLowerCase());

function hasLevel({ verdict }: WatchedCompany, level: LevelFilter): boolean {
  if (!verdict) return level === 'NONE';
  return level === 'INCOMPLETE' ? verdict.completeness !== 'COMPLETE' : verdict.riskLevel === level;
}

const hasText = ({ name, identifier, formattedIdentifier }: WatchedCompany, text: string): boolean =>
  text === '' || [name ?? '', identifier, formattedIdentifier].some((one) => one.toLowerCase().includes(text));

const RANKS = { HIGH: 3, MEDIUM: 2, LOW: 0 } as const;

/** Rank of a level. A low level that lacks a source has a higher risk than a complete one. */
const rankOf = ({ riskLevel, completeness }: NonNullable<WatchedCompany['verdict']>): number =>
  riskLevel === 'LOW' && completeness !== 'COMPLETE' ? 1 : RANKS[riskLevel];

const momentOf = (at: string | null): number | null => (at === null ? null : Date.parse(at));

/** The value by which a column sorts; null where it is unknown. */
const VALUES: Readonly<Record<Column, (company: WatchedCompany) => string | number | null>> = {
  name: ({ name }) => name,
  country: ({ country }) => country,
  level: ({ verdict }) => (verdict ? rankOf(verdict) : null),
  owners: ({ verdict }) => verdict?.ownersToReview?.total ?? null,
  tags: ({ tags }) => (tags.length > 0 ? tags.join(', ') : null),
  since: ({ watchedSince }) => momentOf(watchedSince),
  changed: ({ lastChangeAt }) => momentOf(lastChangeAt),
};

/** Compares names without letter case and accents. One collator is much faster than `localeCompare`. */
const { compare: compareTexts } = new Intl.Collator(undefined, { sensitivity: 'base', numeric: true });

/** Compares companies by a column, and those with the same value by name. Unknown values are last in both directions. */
export function companyOrder({ sort, isDescending }: Pick<View, 'sort' | 'isDescending'>) {
  const read = VALUES[sort];
  const byName = (a: WatchedCompany, b: WatchedCompany): number =>
    compareTexts(a.name ?? a.formattedIdentifier, b.name ?? b.formattedIdentifier);
  return (a: WatchedCompany, b: WatchedCompany): number => {
    const [x, y] = [read(a), read(b)];
    if (x === null || y === null) return Number(x === null) - Number(y === null) || byName(a, b);
    const order = typeof x === 'string' ? compareTexts(x, String(y)) : x - Number(y);
    return (isDescending ? -order : order) || byName(a, b);
  };
}

/** A group of companies, and their number. */
export interface Count {
  readonly country: Country;
  readonly count: number;
}

/** Counts the companies without a verdict by country, so that no country is hidden. */
export const unassessedByCountry = (companies: readonly WatchedCompany[]): readonly Count[] =>
  COUNTRY_FILTERS.map((country) => ({
    country,
    count: companies.filter((company) => company.country === country && !company.verdict).length,
  })).filter(({ count }) => count > 0);
