import type { Country } from '../../domain/company.ts';

/** Size of a company. `small` includes micro companies, `large` includes medium ones. */
export type CompanySize = 'small' | 'large' | 'unknown';

/** Number of dependent workers. */
export type EmployeesRange = '0' | '1-9' | '10-49' | '50-199' | '200-999' | '1000+';

/** Profile of a company from its tax registry; CO: from the commercial register. */
export interface CompanyProfile {
  readonly companyName: string;
  /** Main economic activity as described by the registry; null if it states none. */
  readonly activity: string | null;
  /** Code of the activity, with leading zeros and without punctuation. CL: CIIU4.CL, six digits. BR: CNAE, seven digits. CO: CIIU. */
  readonly activityCode: string | null;
  readonly size: CompanySize;
  /** Number of employees; null if the registry does not state it, and always in Brazil and Colombia. */
  readonly employeesRange: EmployeesRange | null;
  /** CL: name of the region. BR: two letters of the state (UF). CO: name of the chamber of commerce. Null if unknown, and abroad. */
  readonly region: string | null;
  /** Year of first tax registration (BR: of this establishment; CO: of the first registration at a chamber of commerce). */
  readonly foundedYear: number | null;
  readonly status: 'active' | 'inactive';
  readonly country: Country;
  readonly source: 'receita_federal' | 'sii' | 'rues';
}

/** The profile of a company of a country whose registry is that of taxes. `/v1/enrich` serves these countries. */
export interface TaxProfile extends CompanyProfile {
  readonly country: Exclude<Country, 'CO'>;
  readonly source: Exclude<CompanyProfile['source'], 'rues'>;
}

const RANGES: readonly (readonly [atLeast: number, range: EmployeesRange])[] = [
  [1000, '1000+'],
  [200, '200-999'],
  [50, '50-199'],
  [10, '10-49'],
  [1, '1-9'],
];

/** Maps the declared number of dependent workers to its range; null for unknown, which does not mean zero. */
export function employeesRange(workers: number | null): EmployeesRange | null {
  if (workers === null) return null;
  return RANGES.find(([atLeast]) => workers >= atLeast)?.[1] ?? '0';
}

/**
 * Derives the size from the Chilean bracket of yearly sales. 2–4 micro and 5–7 pequeña (up to UF 25,000) are small; 8–9 mediana and 10–13 grande are
 * large; 1 is "not informed", which is not zero sales.
 */
export function sizeOfBracket(bracket: number | null): CompanySize {
  if (bracket === null || bracket < 2) return 'unknown';
  return bracket <= 7 ? 'small' : 'large';
}

/** Derives the size from the Brazilian porte. DEMAIS means "neither micro nor small": medium and large companies, but associations and public bodies too. */
export function sizeOfPorte(porte: 'MICRO EMPRESA' | 'EMPRESA DE PEQUENO PORTE' | 'DEMAIS' | null, isMei: boolean): CompanySize {
  if (isMei) return 'small';
  if (porte === null) return 'unknown';
  return porte === 'DEMAIS' ? 'large' : 'small';
}
