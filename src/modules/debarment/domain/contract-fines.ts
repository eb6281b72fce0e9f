import type { ListFacts } from '../../../domain/answer.ts';
import type { SourceName } from '../../../domain/catalogue.ts';

/** The published lists of contract fines of Colombia, in the order of `sourcesChecked`. */
export const FINE_LISTS = ['MULTAS_SECOP_I', 'MULTAS_SECOP_II'] as const satisfies readonly SourceName[];
export type FineList = (typeof FINE_LISTS)[number];

/**
 * A fine, a penalty clause or a forfeiture that a public body imposed on its contractor. It is no ban: the company may go on contracting.
 * Texts are as printed, in Spanish.
 */
export interface ContractFine {
  /** Public id, made from the list entry and the company. */
  readonly id: string;
  readonly source: FineList;
  /** The public body. */
  readonly entity: string;
  /** NIT of the public body as printed. */
  readonly entityTaxId: string | null;
  /** Kind such as `Multa` or `Clausula Penal`; null on SECOP I, which states none. */
  readonly kind: string | null;
  /** COP; 0 is printed at times, and null where no amount can be read. */
  readonly amount: number | null;
  /** Number of the resolution or act. */
  readonly resolution: string | null;
  /** ISO date: SECOP I, when the fine became final, else when it was published; SECOP II, when it was imposed. */
  readonly date: string | null;
  /** Number of the contract. */
  readonly contract: string | null;
  /** Id of the procedure; SECOP II only. */
  readonly processId: string | null;
  readonly processUrl: string | null;
  /** True if the date is more than five years ago. */
  readonly isHistorical: boolean;
}

export interface ContractFines {
  /** Always false: a contract fine is no ban. */
  readonly isDebarred: false;
  /** Newest first, undated ones last. */
  readonly records: readonly ContractFine[];
  /** The lists that were read: both, unless one failed and the other has a record. */
  readonly sourcesChecked: readonly FineList[];
  /**
   * True if the names of the company were compared with those of fines without a known contractor, and none is similar. Otherwise, also for a
   * company without a name in the register, the records are those of its NIT, and there may be more.
   */
  readonly namesCompared: boolean;
  /** Number of fines on these lists that cannot be assigned to any company. */
  readonly unassignedFines: number;
  /** A sentence in English that says what the lists cover. */
  readonly coverage: string;
  /** Versions of the lists that were read. */
  readonly lists: readonly ListFacts[];
}

const HISTORICAL_YEARS = 5;

/** @param today ISO date */
export const isHistorical = (date: string | null, today: string): boolean =>
  date !== null && date < `${Number(today.slice(0, 4)) - HISTORICAL_YEARS}${today.slice(4)}`;
