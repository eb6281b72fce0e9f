import type { HolderDocuments } from '../../../sources/registry/company-documents.ts';

/** A penalty on one company or person, or on the companies of one row, as a list has it. Dates are ISO. */
export interface DebarmentEntry extends HolderDocuments {
  readonly name: string;
  /** Category as printed, e.g. `Impedimento/proibição de contratar com prazo determinado`. It sometimes contradicts the dates. */
  readonly category: string;
  readonly bodyName: string;
  readonly startsOn: string | null;
  /** ISO date; null if the list prints none. Ended penalties stay in CEIS and CNEP. */
  readonly endsOn: string | null;
  readonly processId: string | null;
  /** Fine in BRL, CNEP only; null if the penalty is not a fine. */
  readonly fineBrl: number | null;
  /** Code of the sanction; empty on lists without one. */
  readonly sanctionCode: string;
  /** Number besides that of the process: of the agreement on CEPIM, of the decision on the list of the TCU. Absent on other lists. */
  readonly reference?: string | null;
  /** Reason as printed; CEPIM only. */
  readonly reason?: string | null;
  /** Text that the list prints in place of an end date, such as `Consolidado` of the Central Bank. */
  readonly endText?: string | null;
}

/** Returns the ISO date of an end; null for one in the year 9999, which means "indefinite". */
export const endDate = (date: string | null): string | null => (date?.startsWith('9999') ? null : date);
