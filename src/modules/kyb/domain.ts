import type { Mirror } from '../../domain/catalogue.ts';
import type { RegisterAbsence, RegistrationStatus } from '../../domain/company.ts';

/** Legal registration of a company (know your business). An unknown company has the status `not_found`; it is not an error. */
export interface Kyb {
  /** Official legal name; null when the registry has no such company, or no name of it. */
  readonly companyName: string | null;
  readonly status: RegistrationStatus;
  /** True for an active registration. CO: false for an active branch of a company whose own registration is not active. */
  readonly verified: boolean;
  /** Year of first tax registration; for BR, of this establishment's. CO: of the first registration at a chamber of commerce. */
  readonly foundedYear: number | null;
  /** ISO date of termination; null while registered, and while suspended, because a suspension is not a termination. */
  readonly endDate: string | null;
  /**
   * The registry's own term for the status. BR: ATIVA, ATIVA NÃO REGULAR, SUSPENSA, INAPTA, BAIXADA, NULA. CL: INICIO DE ACTIVIDADES, SIN INICIO DE
   * ACTIVIDADES, or how it ended, e.g. TERMINO DE GIRO. CO: the state of the registration (matrícula), e.g. ACTIVA, CANCELADA.
   */
  readonly registration: string | null;
  /**
   * True when the tax id belongs to a branch, whose closure does not close the company. Always false for CL, where branches have no id. CO:
   * true if the registration is that of a branch or an agency, as for foreign companies.
   */
  readonly isBranch: boolean;
  /** Special situation, e.g. RECUPERACAO JUDICIAL; normally null, and always null for CL and CO, which publish no such field. */
  readonly specialSituation: string | null;
  /** CO: reason for `not_found`; null for a company that is registered, and for BR and CL, whose tax registries have every company. */
  readonly absence: RegisterAbsence | null;
  /** CO: year of the last renewal of the registration; null if unknown, and for BR and CL. */
  readonly lastRenewedYear: number | null;
  /** CO: the same year, if an active registration was not renewed when it was due; null otherwise. The status stays active. */
  readonly notRenewedSince: number | null;
  /** CO: number of yearly renewals that were due since then; null with it. */
  readonly renewalsMissed: number | null;
  readonly source: 'receita_federal' | 'sii' | 'rues';
  /** BR: the mirror of the registry that answered; null for CL and CO, and for an absence, which both mirrors must state. */
  readonly mirror: Mirror | null;
}

/** The registration of a company of a country whose registry is that of taxes: BR, CL. `/v1/kyb` serves these countries. */
export interface TaxKyb extends Kyb {
  readonly source: Exclude<Kyb['source'], 'rues'>;
}
