/** A company that was found by its name. The fields that the names of a registry do not have are null. */
export interface FoundCompany {
  /** Bare tax id; in Brazil that of the establishment. */
  readonly taxId: string;
  /** Legal name as the registry prints it; the trade name for a natural person, whose legal name the search does not return. */
  readonly name: string;
  readonly tradeName: string | null;
  readonly status: 'active' | 'inactive' | null;
  readonly municipality: string | null;
  readonly state: string | null;
  /** ISO date. */
  readonly openedOn: string | null;
  readonly matchedOn: MatchedName;
  /** Chile: similarity of the full name to the searched name. Brazil: share of the words of the name that were searched. 0 to 1000. */
  readonly score: number;
  /** Number by which the registry sorts the results; equal ones are sorted by tax id. */
  readonly rank: number;
}

/** The name that has the words of a search. */
export const MATCHED_NAMES = ['legal_name', 'trade_name'] as const;
export type MatchedName = (typeof MATCHED_NAMES)[number];

/**
 * Reason why a search has not found all companies. `common_words`: so many names have the words that those of the oldest companies were searched,
 * and the names that consist of the words alone. `many_names`: more than 1,000 companies were found, of which 1,000 are returned.
 * `many_completions`: more words begin with the last one than were searched. `unread_rows`: rows of the registry could not be read, or the
 * operator has erased companies; it is the reason only if there is no other one.
 */
export const SEARCH_LIMITS = ['common_words', 'many_names', 'many_completions', 'unread_rows'] as const;
export type SearchLimit = (typeof SEARCH_LIMITS)[number];

/** A page of companies, the best first. */
export interface FoundCompanies {
  readonly companies: readonly FoundCompany[];
  readonly hasMore: boolean;
  /** Null if all companies with the words were found. */
  readonly limitedBy: SearchLimit | null;
  /** The names that were searched. */
  readonly searched: readonly MatchedName[];
  /** False if no municipality of the registry has the name in the filter. */
  readonly hasMunicipality: boolean;
}

/** Size classes of the Brazilian registry (porte), by its codes. */
export const SIZE_CODES = { micro: 1, small: 3, other: 5 } as const;
export type RegisteredSize = keyof typeof SIZE_CODES;

/** Conditions of a search, which apply to an establishment. Absent or null ones do not count. */
export interface CompanyFilter {
  readonly status?: 'active' | 'inactive' | 'not_found' | null;
  /** Two letters of the state (UF). */
  readonly state?: string | null;
  /** Code of the registry, of up to four digits, or name. */
  readonly municipality?: string | null;
  /** Main activity: two to seven first digits of its CNAE code. */
  readonly activity?: string | null;
  /** Four digits of the legal nature. */
  readonly legalNature?: string | null;
  readonly size?: RegisteredSize | null;
  /** ISO dates, both inclusive. */
  readonly openedFrom?: string | null;
  readonly openedTo?: string | null;
  readonly isHeadOffice?: boolean | null;
}
