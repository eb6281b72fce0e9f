/** Standing of a company at its tax registry. */
export type KybStatus = 'active' | 'inactive' | 'not_found';

/** Legal registration of a company (know your business). An unknown company is an answer, `not_found`. */
export interface Kyb {
  /** Official legal name; null when the registry has no such company. */
  readonly companyName: string | null;
  readonly status: KybStatus;
  /** True for an active registration only. */
  readonly verified: boolean;
  /** Year of this establishment's first registration. */
  readonly foundedYear: number | null;
  /** ISO date of termination; null while registered, and for a suspension, which ends nothing. */
  readonly endDate: string | null;
  /** The registry's own word for the standing: ATIVA, SUSPENSA, INAPTA, BAIXADA, NULA. */
  readonly registration: string | null;
  /** True when the tax id is a branch: its closing is not the company's. */
  readonly isBranch: boolean;
  /** E.g. RECUPERACAO JUDICIAL; null normally. */
  readonly specialSituation: string | null;
  readonly source: 'receita_federal';
}
