import { type Freshness, oldest } from '../../domain/answer.ts';
import type { Mirror, SourceName } from '../../domain/catalogue.ts';
import { type Country, taxIdName } from '../../domain/company.ts';
import { AppError } from '../../domain/errors.ts';
import { companyMessages } from '../../messages/companies.ts';
import { bestCandidates, type Candidate, NAME_KINDS } from '../sanctions/domain/candidate.ts';
import { type Decisions, type Reviewed, shownCandidates, withReviews } from '../sanctions/domain/review.ts';

/** One registered owner or officer. */
export interface Owner {
  readonly name: string;
  /** Role in the registry's term, e.g. `Sócio-Administrador`; CO: `Representante legal`. */
  readonly role: string;
  readonly entityType: 'individual' | 'company';
  /** Masked CPF (`***456789**`) for an individual, complete CNPJ for a company; null for most foreigners, and for CO. */
  readonly identifier: string | null;
  /** ISO date. */
  readonly entryDate: string | null;
  /** Country of a foreign owner, in the registry's words; null for Brazilian residents. */
  readonly country: string | null;
  /** Name of the legal representative, for company owners only. */
  readonly legalRepName: string | null;
  readonly legalRepRole: string | null;
}

/** The registered owners and officers of a company; empty when the registry has none. */
export interface Owners {
  /** Name of the company; empty if the registry has none. */
  readonly companyName: string;
  readonly owners: readonly Owner[];
  readonly source: 'receita_federal';
  /** The mirror of the registry that answered; null for a company that is not in the registry. */
  readonly mirror: Mirror | null;
}

/** The officers of a Colombian company: its legal representative, or nobody. Its partners are not published. */
export interface Officers extends Omit<Owners, 'source' | 'mirror'> {
  readonly source: 'rues';
  readonly mirror: null;
}

/** Officers of a company that is not in the commercial register. */
export const NO_OFFICERS: Officers = { companyName: '', owners: [], source: 'rues', mirror: null };

/** Owners of a company that is not in the registry: the registry answered, and has no owners of the company. */
export const NO_OWNERS: Owners = { companyName: '', owners: [], source: 'receita_federal', mirror: null };

/** Creates the error for a company that is not in the registry, which is not an answer on `/v1`. */
export const companyNotFound = (country: Country): AppError =>
  new AppError('COMPANY_NOT_FOUND', companyMessages.notFoundAs({ id: taxIdName(country) }));

/** The data of an owner that are compared. */
export type ScreenedOwner = Pick<Owner, 'name' | 'entityType' | 'identifier'>;

/** The data of a listed party that agree with an owner. `root`: the CNPJ root of another branch. */
export const OWNER_MATCH_KINDS = ['tax_id', 'root', 'name_and_cpf', ...NAME_KINDS] as const;
export type OwnerMatchKind = (typeof OWNER_MATCH_KINDS)[number];

/** A listed party that may be an owner, for manual review. */
export interface OwnerCandidate extends Omit<Candidate, 'list' | 'matchedOn' | 'screenedName' | 'effect' | 'measures' | 'party'> {
  readonly list: SourceName;
  readonly matchedOn: OwnerMatchKind;
  /** ISO dates of a penalty or listing; null if the list has none. */
  readonly startsOn: string | null;
  readonly endsOn: string | null;
}

/** Reasons for which an owner cannot be compared with a list. */
export type NotComparable = 'no_name' | 'no_tax_id' | 'companies_only';
/** Reasons for which an owner was not compared with a list. */
export const NOT_CHECKED_REASONS = ['source_unavailable', 'module_not_enabled', 'no_name', 'no_tax_id', 'companies_only'] as const;
export type NotCheckedReason = (typeof NOT_CHECKED_REASONS)[number];

/** The candidates of one list for an owner, or the reason for which the owner was not compared. */
export type OwnerListing = { readonly list: SourceName } & (
  | { readonly candidates: readonly OwnerCandidate[]; readonly freshness: Freshness }
  | { readonly reason: NotCheckedReason }
);

export interface OwnerScreening {
  /**
   * Candidates, best first, at most 20, without dismissed ones unless requested. Null if none was found and a list was not compared that
   * should have been, because that is not a clearance.
   */
  readonly candidates: readonly Reviewed<OwnerCandidate>[] | null;
  readonly listsChecked: readonly SourceName[];
  readonly listsNotChecked: readonly { readonly list: SourceName; readonly reason: NotCheckedReason }[];
  /** Freshness of the oldest list; null if none was compared. */
  readonly freshness: Freshness | null;
}

/** Combines the answers of the lists. @param decisions decisions about candidates of the owner */
export function toOwnerScreening(
  listings: readonly OwnerListing[],
  decisions: Decisions,
  { includeDismissed }: { readonly includeDismissed: boolean },
): OwnerScreening {
  const checked = listings.flatMap((one) => ('candidates' in one ? [one] : []));
  const listsNotChecked = listings.flatMap((one) => ('reason' in one ? [one] : []));
  const reviewed = withReviews(bestCandidates(checked.flatMap((one) => one.candidates)), decisions);
  const candidates = shownCandidates(reviewed, includeDismissed);
  const isUnknown = checked.length === 0 || listsNotChecked.some(({ reason }) => reason === 'source_unavailable');
  return {
    candidates: candidates.length === 0 && isUnknown ? null : candidates,
    listsChecked: checked.map(({ list }) => list),
    listsNotChecked,
    freshness: checked.length === 0 ? null : oldest(checked.map(({ freshness }) => freshness)),
  };
}
