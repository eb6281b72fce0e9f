import type { ListFacts } from '../../domain/answer.ts';
import type { SourceName } from '../../domain/catalogue.ts';

/** Lists of this module, in the order of `sourcesChecked`. */
export const LABOR_LISTS = ['TRABALHO_ESCRAVO'] as const satisfies readonly SourceName[];
export type LaborList = (typeof LABOR_LISTS)[number];

/** One listing in the registry of employers found using labour analogous to slavery. */
export interface LaborRecord {
  /** Public id, made from the list entry and the company that it was found for, on which `matchedOn` depends. */
  readonly id: string;
  readonly source: LaborList;
  readonly employer: string;
  /** Year of the inspection. */
  readonly year: number;
  readonly workersRescued: number;
  /** State (UF) of the inspection. */
  readonly state: string;
  readonly municipality: string | null;
  /** CNAE class as printed, e.g. `0134-2/00`. */
  readonly activity: string;
  /** ISO date of the decision, used as its id because the registry assigns no number. */
  readonly decisionId: string | null;
  /** Place of the inspection; null for a home, which is personal data. */
  readonly establishment: string | null;
  /** ISO date of the current listing, or of the last one. */
  readonly listedOn: string | null;
  /** ISO date of removal; null while listed. */
  readonly removedOn: string | null;
  /** Status of the listing. An ended listing still counts. */
  readonly status: 'active' | 'ended';
  /** `cnpj` for this establishment, `root` for another branch of the same legal person. */
  readonly matchedOn: 'cnpj' | 'root';
}

export interface Labor {
  readonly hasViolations: boolean;
  readonly records: readonly LaborRecord[];
  readonly sourcesChecked: readonly LaborList[];
  /** Versions of the lists that were read. */
  readonly lists: readonly ListFacts[];
}
