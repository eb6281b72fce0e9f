import type { RegistrationStatus } from '../../domain/registration.ts';

/** Legal registration of a company (know your business). An unknown company is an answer, `not_found`. */
export interface Kyb {
  /** Official legal name; null when the registry has no such company. */
  readonly companyName: string | null;
  readonly status: RegistrationStatus;
  /** True for an active registration only. */
  readonly verified: boolean;
  /** Year of first tax registration; for BR, of this establishment's. */
  readonly foundedYear: number | null;
  /** ISO date of termination; null while registered, and for a suspension, which ends nothing. */
  readonly endDate: string | null;
  /**
   * The registry's own word for the standing. BR: ATIVA, SUSPENSA, INAPTA, BAIXADA, NULA. CL: INICIO DE ACTIVIDADES, SIN INICIO DE
   * ACTIVIDADES, or how it ended, e.g. TERMINO DE GIRO.
   */
  readonly registration: string | null;
  /** True when the tax id is a branch: its closing is not the company's. Never for CL, where branches have no id. */
  readonly isBranch: boolean;
  /** E.g. RECUPERACAO JUDICIAL; null normally, and for CL, whose files name none. */
  readonly specialSituation: string | null;
  readonly source: 'receita_federal' | 'sii';
}
