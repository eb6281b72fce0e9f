import { type Client, requireData } from '../api/client.ts';
import { ScreenedCompanies, type ScreeningResult, type ScreeningSummary } from '../api/operations.ts';
import { companyId } from './model.ts';
import { canWatch, watchCompanies } from './paste.ts';

/** Filters of results → the arguments of `Screening.results`. A low level that lacks a source has a filter of its own. */
export const RESULT_FILTERS = {
  ALL: {},
  HIGH: { riskLevel: 'HIGH' },
  MEDIUM: { riskLevel: 'MEDIUM' },
  LOW: { riskLevel: 'LOW', completeness: 'COMPLETE' },
  LOW_PARTIAL: { riskLevel: 'LOW', completeness: 'PARTIAL' },
  UNANSWERED: { answered: false },
} as const;
export type ResultFilter = keyof typeof RESULT_FILTERS;

type Groups = NonNullable<ScreeningSummary['screening']>['resultGroups'];
type Company = ScreeningResult['company'];

/** Maximum number of companies that one click watches. */
export const MAX_WATCHED_AT_ONCE = 5_000;

/** Counts the results that a filter selects. */
export const countOf = (filter: ResultFilter, groups: Groups): number =>
  groups
    .filter((group) => Object.entries(RESULT_FILTERS[filter]).every(([name, value]) => group[name as keyof typeof group] === value))
    .reduce((sum, { companies }) => sum + companies, 0);

/** Codes of reasons by the finding of a single check. */
const CODES = { isSanctioned: 'MATCH', isDebarred: 'RECORD', hasLaborViolations: 'LISTED', isTaxDebtor: 'TAX_DEBTOR' } as const;

/**
 * Returns the codes of the reasons of a result, in upper case, each once: those of its verdict, or of single checks for a screening without
 * one. Several lists with a record are several reasons with one code.
 */
export function reasonCodes({ riskReasons, ...found }: ScreeningResult): readonly string[] {
  if (riskReasons) return [...new Set(riskReasons.map((reason) => /^\w+\.(\w+):/.exec(reason)?.[1]?.toUpperCase() ?? reason))];
  return Object.entries(CODES).flatMap(([finding, code]) => (found[finding as keyof typeof CODES] ? [code] : []));
}

/** Maximum number of own cells that a row of a page shows. */
const MAX_CELLS = 3;

/** Returns the first own cells of a row that are not empty, by which a person knows it. */
export const ownText = (ownCells: readonly string[] | null): string =>
  (ownCells ?? [])
    .filter((cell) => cell !== '')
    .slice(0, MAX_CELLS)
    .join(' · ');

/** Reads the companies of all results that a filter selects. @throws QuipuError */
export async function companiesOf(client: Client, id: string, filter: ResultFilter): Promise<readonly Company[]> {
  const companies: Company[] = [];
  for (let after: string | null = null, hasMore = true; hasMore && companies.length < MAX_WATCHED_AT_ONCE; ) {
    const answer: ScreenedCompanies = requireData(await client.ask(ScreenedCompanies, { id, after, ...RESULT_FILTERS[filter] }));
    const page: NonNullable<ScreenedCompanies['screening']>['results'] | undefined = answer.screening?.results;
    companies.push(...(page?.nodes.map(({ company }) => company) ?? []));
    after = page?.pageInfo.endCursor ?? null;
    hasMore = page?.pageInfo.hasNextPage ?? false;
  }
  return companies;
}

/** Watches those of some companies that can be watched and are not watched yet. @returns their number @throws QuipuError */
export async function watchNew(client: Client, companies: readonly Company[], watched: ReadonlyMap<string, unknown>): Promise<number> {
  const added = companies.filter((company) => canWatch(company) && !watched.has(companyId(company)));
  if (added.length > 0) await watchCompanies(client, added);
  return added.length;
}
