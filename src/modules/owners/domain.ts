import { type Freshness, oldest } from '../../domain/answer.ts';
import type { Mirror, SourceName } from '../../domain/catalogue.ts';
import { AppError } from '../../domain/errors.ts';
import { bestCandidates, type Candidate, MAX_CANDIDATES, type NameKind } from '../sanctions/domain/candidate.ts';
import { type Decisions, type Reviewed, withReviews } from '../sanctions/domain/review.ts';

/** One registered owner or officer. */
export interface Owner {
  readonly name: string;
  /** The registry's term for the role, e.g. `Sócio-Administrador`. */
  readonly role: string;
  readonly entityType: 'individual' | 'company';
  /** Masked CPF (`***456789**`) for an individual, full CNPJ for a company; null for most foreigners. */
  readonly identifier: string | null;
  /** ISO date. */
  readonly entryDate: string | null;
  /** Country of a foreign owner, in the registry's words; null for Brazilian residents. */
  readonly country: string | null;
  /** For company owners only. */
  readonly legalRepName: string | null;
  readonly legalRepRole: string | null;
}

/** The registered owners and officers of a company; empty when the registry has none. */
export interface Owners {
  /** Empty where the registry has no name of it. */
  readonly companyName: string;
  readonly owners: readonly Owner[];
  readonly source: 'receita_federal';
  /** The mirror of the registry that has them; null for a company that is not in the registry. */
  readonly mirror: Mirror | null;
}

/** The owners of a company that is not in the registry: the registry answered, and has no owners of it. */
export const NO_OWNERS: Owners = { companyName: '', owners: [], source: 'receita_federal', mirror: null };

/** Creates the error for a company that is not in the registry: on `/v1`, that is not an answer. */
export const companyNotFound = (): AppError => new AppError('COMPANY_NOT_FOUND', 'The tax registry has no company with this CNPJ.');

/** What is compared of an owner. */
export type ScreenedOwner = Pick<Owner, 'name' | 'entityType' | 'identifier'>;

/** Which data of a listed party agree with an owner. `root`: the CNPJ root, of another branch. */
export type OwnerMatchKind = 'tax_id' | 'root' | 'name_and_cpf' | NameKind;

/** A listed party that may be an owner: for a person to look at. */
export interface OwnerCandidate extends Omit<Candidate, 'list' | 'matchedOn' | 'screenedName'> {
  readonly list: SourceName;
  readonly matchedOn: OwnerMatchKind;
  /** ISO dates of a penalty or listing; null where the list has none. */
  readonly startsOn: string | null;
  readonly endsOn: string | null;
}

/** Why there is nothing of an owner to compare with a list. */
export type NotComparable = 'no_name' | 'no_tax_id';
/** Why an owner was not compared with a list. */
export type NotCheckedReason = NotComparable | 'source_unavailable' | 'module_not_enabled';

/** What one list has that resembles an owner, or why the owner was not compared with it. */
export type OwnerListing = { readonly list: SourceName } & (
  | { readonly candidates: readonly OwnerCandidate[]; readonly freshness: Freshness }
  | { readonly reason: NotCheckedReason }
);

export interface OwnerScreening {
  /** Best first, at most 20, without the dismissed ones unless they are asked for. Null where none was found and a list that should have been compared was not: that is no clearance. */
  readonly candidates: readonly Reviewed<OwnerCandidate>[] | null;
  readonly listsChecked: readonly SourceName[];
  readonly listsNotChecked: readonly { readonly list: SourceName; readonly reason: NotCheckedReason }[];
  /** As old as the oldest list; null where none was compared. */
  readonly freshness: Freshness | null;
}

/** Puts together what the lists have. @param decisions those about candidates of the owner */
export function toOwnerScreening(
  listings: readonly OwnerListing[],
  decisions: Decisions,
  { includeDismissed }: { readonly includeDismissed: boolean },
): OwnerScreening {
  const checked = listings.flatMap((one) => ('candidates' in one ? [one] : []));
  const listsNotChecked = listings.flatMap((one) => ('reason' in one ? [one] : []));
  const reviewed = withReviews(bestCandidates(checked.flatMap((one) => one.candidates)), decisions);
  const candidates = reviewed.filter(({ dismissal }) => includeDismissed || !dismissal).slice(0, MAX_CANDIDATES);
  const isUnknown = checked.length === 0 || listsNotChecked.some(({ reason }) => reason === 'source_unavailable');
  return {
    candidates: candidates.length === 0 && isUnknown ? null : candidates,
    listsChecked: checked.map(({ list }) => list),
    listsNotChecked,
    freshness: checked.length === 0 ? null : oldest(checked.map(({ freshness }) => freshness)),
  };
}

/** A company of an ownership graph. `depth` counts the steps from the requested company (0). */
export interface OwnershipNode {
  readonly taxId: string;
  /** Null where it was not looked up (past the depth, or its source failed). */
  readonly name: string | null;
  readonly depth: number;
}

/** One company owning another, both by bare CNPJ. */
export interface OwnershipEdge {
  readonly owner: string;
  readonly owned: string;
  readonly role: string;
}

/** Companies that own a company, directly or through other companies. The edge that closes a cycle is included and not followed. */
export interface OwnershipGraph {
  readonly nodes: readonly OwnershipNode[];
  readonly edges: readonly OwnershipEdge[];
  /** False when the graph stops at the depth, the size limit or a failed source. */
  readonly complete: boolean;
}
