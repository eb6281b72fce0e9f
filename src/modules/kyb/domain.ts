import type { Mirror } from '../../domain/catalogue.ts';
import type { RegistrationStatus } from '../../domain/company.ts';

/** Legal registration of a company (know your business). An unknown company has the status `not_found`; it is not an error. */
export interface Kyb {
  /** Official legal name; null when the registry has no such company, or no name of it. */
  readonly companyName: string | null;
  readonly status: RegistrationStatus;
  /** True for an active registration. */
  readonly verified: boolean;
  /** Year of first tax registration; for BR, of this establishment's. */
  readonly foundedYear: number | null;
  /** ISO date of termination; null while registered, and while suspended, because a suspension is not a termination. */
  readonly endDate: string | null;
  /**
   * The registry's own term for the status. BR: ATIVA, ATIVA NÃO REGULAR, SUSPENSA, INAPTA, BAIXADA, NULA. CL: INICIO DE ACTIVIDADES, SIN INICIO DE
   * ACTIVIDADES, or how it ended, e.g. TERMINO DE GIRO.
   */
  readonly registration: string | null;
  /** True when the tax id belongs to a branch, whose closure does not close the company. Always false for CL, where branches have no id. */
  readonly isBranch: boolean;
  /** Special situation, e.g. RECUPERACAO JUDICIAL; normally null, and always null for CL, whose files have no such field. */
  readonly specialSituation: string | null;
  readonly source: 'receita_federal' | 'sii';
  /** BR: the mirror of the registry that answered; null for CL, and for an absence, which both mirrors must state. */
  readonly mirror: Mirror | null;
}
