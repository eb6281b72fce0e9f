import type { Mirror } from '../../../domain/catalogue.ts';

/** A code of the registry and its words. At least one of them is given. */
export interface RegistryTerm {
  readonly code: string | null;
  readonly text: string | null;
}

/** Membership of a tax regime. */
export interface TaxRegime {
  /** Null when the registry has no answer, as for a company that never chose the regime. */
  readonly isMember: boolean | null;
  /** ISO date of the last choice. It stays when the company leaves the regime. */
  readonly since: string | null;
  /** ISO date of the exclusion. */
  readonly until: string | null;
}

/** Address that a company registered. Each part is null where the registry has none. */
export interface RegisteredAddress {
  /** Null for CL, and for a Brazilian company that is a natural person, whose address is a private home. So are `number` and `complement`. */
  readonly street: string | null;
  readonly number: string | null;
  readonly complement: string | null;
  readonly district: string | null;
  /** BR: municipality in capitals. CL: commune. Null abroad. */
  readonly municipality: string | null;
  /** BR: two letters of the state (UF). CL: name of the region. CO: name of the chamber of commerce. Null abroad. */
  readonly region: string | null;
  /** BR: eight digits (CEP). Null for CL. */
  readonly postalCode: string | null;
  readonly foreignCity: string | null;
  readonly foreignCountry: string | null;
}

/** Categories of registrations at chambers of commerce. `other` includes registrations without a category. */
export const REGISTRATION_CATEGORIES = ['main', 'branch', 'agency', 'establishment', 'other'] as const;
export type RegistrationCategory = (typeof REGISTRATION_CATEGORIES)[number];

/** A registration (matrícula) of a Colombian company at a chamber of commerce. */
export interface ChamberRegistration {
  readonly chamber: string | null;
  /** Registration number, unique together with the chamber only. */
  readonly number: string | null;
  /** State in the words of the register. */
  readonly state: string;
  readonly category: RegistrationCategory;
  /** ISO date. */
  readonly registeredOn: string | null;
  readonly lastRenewedYear: number | null;
  /** ISO date as printed, which may also stand in a registration that is not cancelled. */
  readonly cancelledOn: string | null;
  /** True for the registration whose state is that of the company. */
  readonly isChosen: boolean;
}

/**
 * The public record of a company at its tax registry, or in the commercial register of Colombia. A field that the registry does not publish,
 * or has no value of, is null.
 */
export interface RegistrationRecord {
  /** Official legal name; null when the registry has no name of it. */
  readonly companyName: string | null;
  readonly tradeName: string | null;
  /** BR: natureza jurídica. CL: kind of company, without a code. CO: legal organisation, without a code. */
  readonly legalNature: RegistryTerm | null;
  /** Size class (porte) in the registry's words. BR only. */
  readonly size: string | null;
  /** Capital in BRL, a decimal. BR only. */
  readonly capital: string | null;
  /** True if `capital` is rounded to about seven digits, as the mirror publishes large amounts. */
  readonly isCapitalRounded: boolean;
  /** ISO date of first tax registration (BR: of this establishment). CO: of the first registration at a chamber. */
  readonly openedOn: string | null;
  readonly status: 'active' | 'inactive';
  /** The registry's own words for the status. */
  readonly statusText: string;
  /** ISO date since which the status is valid. CL: end of activities; null while active. CO: last cancellation; null while active. */
  readonly statusSince: string | null;
  /** Reason of the status; null for none. BR only. */
  readonly statusReason: RegistryTerm | null;
  readonly isBranch: boolean;
  /** BR: CNAE, seven digits. CL: CIIU4.CL, six digits. CO: CIIU, without words; older registrations have codes of revision 3. */
  readonly mainActivity: RegistryTerm | null;
  /** Activities beside the main one. Null if the registry does not publish them: always for CL. */
  readonly otherActivities: readonly RegistryTerm[] | null;
  readonly address: RegisteredAddress;
  /** Simples Nacional. BR only. */
  readonly simples: TaxRegime | null;
  /** Regime of individual micro-entrepreneurs. BR only. */
  readonly mei: TaxRegime | null;
  /** Federative entity to which a public body belongs. BR only. */
  readonly federativeEntity: string | null;
  /** E.g. RECUPERACAO JUDICIAL; normally null. BR only. */
  readonly specialSituation: string | null;
  /** ISO date. */
  readonly specialSituationSince: string | null;
  /** CO: all registrations at chambers of commerce, the chosen one first. Null for BR and CL. */
  readonly chamberRegistrations: readonly ChamberRegistration[] | null;
  /** CO: like `Kyb.lastRenewedYear` and `Kyb.notRenewedSince`. */
  readonly lastRenewedYear: number | null;
  readonly notRenewedSince: number | null;
  readonly source: 'receita_federal' | 'sii' | 'rues';
  /** BR: the mirror of the registry that answered; null for CL and CO. */
  readonly mirror: Mirror | null;
}

/** Above these amounts a 32-bit float does not distinguish single cents, and single units. */
const EXACT_CENTS_BELOW = 2 ** 17;
const EXACT_UNITS_BELOW = 2 ** 24;

/**
 * Returns a capital as a decimal without an exponent, and whether it is rounded.
 * @param amount in BRL, below 1e15
 * @param isFloat true if a mirror has rounded it to a 32-bit float
 */
export function capitalOf(amount: number | null, isFloat: boolean): Pick<RegistrationRecord, 'capital' | 'isCapitalRounded'> {
  if (amount === null) return { capital: null, isCapitalRounded: false };
  const hasCents = !isFloat || amount < EXACT_CENTS_BELOW;
  return { capital: String(hasCents ? amount : Math.round(amount)), isCapitalRounded: isFloat && amount >= EXACT_UNITS_BELOW };
}
