import type { Explained } from '../../../messages/names.ts';
import type { ListingTerms, SanctionsList } from '../domain.ts';

/** `match`: a person would say that these are the same name. `review`: similar names, which a person should review. */
export const CANDIDATE_DECISIONS = ['match', 'review'] as const;
export type CandidateDecision = (typeof CANDIDATE_DECISIONS)[number];

/** Kinds of a party's name that a search can match. */
export const NAME_KINDS = ['name', 'alias', 'weak_alias'] as const;
export type NameKind = (typeof NAME_KINDS)[number];

/**
 * Facts about a company or an organisation that a list prints beside its names and ids, for a person who compares. They are not part of the
 * digest of the record, so a changed address does not undo a decision.
 */
export interface PartyDetails {
  /** Addresses, each in one line. */
  readonly addresses: readonly string[];
  /** Dates of foundation, as printed. */
  readonly foundationDates: readonly string[];
  /** Remarks as printed; null for none. */
  readonly remarks: string | null;
}

/** Facts about a party, as a list prints them, for a person who compares. */
export interface ListedPartyFacts extends PartyDetails {
  /** Its other names, as listed. */
  readonly aliases: readonly string[];
  /** Its tax ids of companies of Latin America, each with its kind: `NIT # 800076369-0`. */
  readonly taxIds: readonly string[];
  /** Reference number of the UN or the EU; null on others. */
  readonly reference: string | null;
}

/** A listed party with a name similar to the company's, for manual review. */
export interface Candidate extends ListingTerms, Explained {
  readonly list: SanctionsList;
  /** Id of the party on the list: OFAC uid, UN DATAID, the publisher's number on others. */
  readonly entityId: string;
  readonly entryName: string;
  /** The similar name of the party, as the list prints it. */
  readonly matchedName: string;
  readonly matchedOn: NameKind;
  /** The name of the company that it is similar to. */
  readonly screenedName: string;
  readonly decision: CandidateDecision;
  /** 0 to 1. */
  readonly score: number;
  readonly programs: readonly string[];
  /** English names of the countries of the party's addresses. */
  readonly countries: readonly string[];
  /** English names of the countries that a listed person is a national of. */
  readonly nationalities: readonly string[];
  /** Dates of birth of a listed person, as the list prints them. */
  readonly datesOfBirth: readonly string[];
  /** Facts about the party, as the list prints them. */
  readonly party: ListedPartyFacts;
  /** SHA-256 of the party's record, hexadecimal. It changes when the record changes. */
  readonly recordDigest: string;
}

/** Returns a text that names a listed party and its record. The text changes when the record changes. */
export const recordText = ({ entityId, recordDigest }: Pick<Candidate, 'entityId' | 'recordDigest'>): string =>
  `${entityId}:${recordDigest}`;

/** Maximum number of candidates in an answer. The best ones are returned. */
export const MAX_CANDIDATES = 20;
/** Maximum number of candidates per company that are kept. Those beyond MAX_CANDIDATES replace candidates that an account has dismissed. */
const MAX_KEPT = 100;

/** The result of comparing a company's names with the names of the lists. */
export interface NameScreening {
  /** The compared names; empty when none is known. */
  readonly names: readonly string[];
  /** Best first. Null when there was no name to compare. */
  readonly candidates: readonly Candidate[] | null;
}

/** The fields by which candidates are sorted and parties identified. */
type Ranked = Pick<Candidate, 'entityId' | 'decision' | 'score'> & { readonly list: string };

/** Returns the best candidate of each listed party, best first. */
export function bestCandidates<C extends Ranked>(all: readonly C[]): readonly C[] {
  const best = new Map<string, C>();
  for (const candidate of all.toSorted(better)) {
    const party = `${candidate.list}:${candidate.entityId}`;
    if (!best.has(party)) best.set(party, candidate);
  }
  return [...best.values()].slice(0, MAX_KEPT);
}

/** Compares candidates: matches first, then by score. */
const better = (a: Ranked, b: Ranked): number =>
  a.decision === b.decision ? b.score - a.score : CANDIDATE_DECISIONS.indexOf(a.decision) - CANDIDATE_DECISIONS.indexOf(b.decision);
