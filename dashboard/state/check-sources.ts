import type { QuipuError } from '../../clients/typescript/src/error.ts';
import type { Age, Country } from '../api/operations.ts';
import type { ShownCompany } from './model.ts';

export type Check = 'KYB' | 'SANCTIONS' | 'DEBARMENT' | 'LABOR' | 'OWNERS' | 'TAX_HEALTH' | 'CONTRACT_FINES';

/** An answer of a check; null if it failed or was refused. */
type Answered = { readonly freshness: Age } & (
  | { readonly source: string; readonly debtorsChecked?: boolean }
  | { readonly sourcesChecked: readonly string[] }
);

const LISTS: readonly string[] = ['OFAC_SDN', 'UN_CONSOLIDATED'];

/** The sources that each check reads, by country. The answer of a failed check names none. */
export const SOURCES_OF: Readonly<Record<Country, Partial<Readonly<Record<Check, readonly string[]>>>>> = {
  BR: {
    KYB: ['RECEITA_FEDERAL'],
    SANCTIONS: LISTS,
    DEBARMENT: ['CEIS', 'CNEP'],
    LABOR: ['TRABALHO_ESCRAVO'],
    OWNERS: ['RECEITA_FEDERAL'],
  },
  CL: { KYB: ['SII'], SANCTIONS: LISTS, OWNERS: ['CL_OWNERSHIP'], TAX_HEALTH: ['SII', 'TAX_DEBTORS_CL'] },
  CO: { KYB: ['RUES'], SANCTIONS: LISTS, OWNERS: ['RUES'], CONTRACT_FINES: ['MULTAS_SECOP_I', 'MULTAS_SECOP_II'] },
};

export interface SourcesOfAnswer {
  /** Sources that were read for this query by at least one check. */
  readonly read: readonly string[];
  /** Sources whose answers all came from the cache. */
  readonly cached: readonly string[];
  /** Sources that a check lacks, because they did not answer, or the other list of their check did not. */
  readonly missing: readonly string[];
}

/** True for an error which says that the key has no module for a field of the company. */
export const isRefused = (errors: readonly QuipuError[], field: string): boolean =>
  errors.some(({ code, path }) => code === 'MODULE_NOT_ENABLED' && path[0] === 'company' && path[1] === field);

/** Returns the sources of an answer about a company. A source that two checks read, like the registry and the owners, is counted once. */
export function sourcesOf(company: ShownCompany, errors: readonly QuipuError[]): SourcesOfAnswer {
  const allCached = new Map<string, boolean>();
  const missing = new Set<string>();
  for (const [check, answer] of checksOf(company, errors)) {
    const answered = answer ? sourcesRead(answer) : [];
    for (const source of answered) allCached.set(source, (allCached.get(source) ?? true) && (answer?.freshness.cached ?? false));
    for (const source of SOURCES_OF[company.country][check] ?? []) if (!answered.includes(source)) missing.add(source);
  }
  const answering = [...allCached].filter(([source]) => !missing.has(source));
  return {
    read: answering.flatMap(([source, isCached]) => (isCached ? [] : [source])),
    cached: answering.flatMap(([source, isCached]) => (isCached ? [source] : [])),
    missing: [...missing],
  };
}

/** Returns the sources that an answer was read from. A tax standing also says whether the list of debtors was one of them. */
function sourcesRead(answer: Answered): readonly string[] {
  if ('sourcesChecked' in answer) return answer.sourcesChecked;
  return answer.debtorsChecked ? [answer.source, 'TAX_DEBTORS_CL'] : [answer.source];
}

/** Returns the checks that the query requested and the key may read. */
function checksOf(
  { country, compliance, kyb, sanctions, taxHealth }: ShownCompany,
  errors: readonly QuipuError[],
): readonly [Check, Answered | null][] {
  if (compliance) {
    const { checks } = compliance;
    const all: readonly [Check, Answered | null][] = [
      ['KYB', checks.kyb],
      ['SANCTIONS', checks.sanctions],
      ['DEBARMENT', checks.debarment],
      ['LABOR', checks.labor],
      ['OWNERS', checks.owners],
      ['TAX_HEALTH', checks.taxHealth],
      ['CONTRACT_FINES', checks.contractFines],
    ];
    return all.filter(([check]) => check in SOURCES_OF[country]);
  }
  const asked: readonly [Check, string, Answered | null | undefined][] = [
    ['KYB', 'kyb', kyb],
    ['SANCTIONS', 'sanctions', sanctions],
    ['TAX_HEALTH', 'taxHealth', taxHealth],
  ];
  return asked.flatMap(([check, field, answer]) =>
    answer === undefined || !(check in SOURCES_OF[country]) || isRefused(errors, field) ? [] : [[check, answer] as const],
  );
}
