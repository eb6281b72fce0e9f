import type { SanctionsList } from '../domain.ts';

/** `match`: a person would say that these are the same name. `review`: similar names, which a person should review. */
export const CANDIDATE_DECISIONS = ['match', 'review'] as const;
export type CandidateDecision = (typeof CANDIDATE_DECISIONS)[number];

/** Which name of the party was met. */
export const NAME_KINDS = ['name', 'alias', 'weak_alias'] as const;
export type NameKind = (typeof NAME_KINDS)[number];

/** A listed party with a name that resembles the company's: for a person to look at. */
export interface Candidate {
  readonly list: SanctionsList;
  /** The list's own id: OFAC uid, UN DATAID. */
  readonly entityId: string;
  readonly entryName: string;
  /** The name that was met, as the list prints it. */
  readonly matchedName: string;
  readonly matchedOn: NameKind;
  /** The name of the company that resembles it. */
  readonly screenedName: string;
  readonly decision: CandidateDecision;
  /** 0 to 1. */
  readonly score: number;
  /** Sentences: which words agree, differ or were set aside. */
  readonly explanation: string;
  readonly programs: readonly string[];
  /** English names of the countries of the party's addresses. */
  readonly countries: readonly string[];
  /** English names of the countries that a listed person is a national of. */
  readonly nationalities: readonly string[];
  /** Of a listed person, as the list prints them. */
  readonly datesOfBirth: readonly string[];
  /** SHA-256 of the party's record, hexadecimal: another one when the list says something else about it. */
  readonly recordDigest: string;
}

/** Names a listed party and what its list says about it: another text when the record changes. */
export const recordText = ({ entityId, recordDigest }: Pick<Candidate, 'entityId' | 'recordDigest'>): string =>
  `${entityId}:${recordDigest}`;

/** Most candidates that an answer has; the best are given. */
export const MAX_CANDIDATES = 20;
/** Most candidates of one company that are kept: those that an account has dismissed make room for others. */
const MAX_KEPT = 100;

/** The result of comparing a company's names with the names of the lists. */
export interface NameScreening {
  /** The names that were compared; empty when none is known. */
  readonly names: readonly string[];
  /** Best first. Null when there was no name to compare. */
  readonly candidates: readonly Candidate[] | null;
}

/** What the order of candidates depends on, and which party they are. */
type Ranked = Pick<Candidate, 'entityId' | 'decision' | 'score'> & { readonly list: string };

/** The best candidate for each listed party, best first. */
export function bestCandidates<C extends Ranked>(all: readonly C[]): readonly C[] {
  const best = new Map<string, C>();
  for (const candidate of all.toSorted(better)) {
    const party = `${candidate.list}:${candidate.entityId}`;
    if (!best.has(party)) best.set(party, candidate);
  }
  return [...best.values()].slice(0, MAX_KEPT);
}

/** A match goes before a review, then by score. */
const better = (a: Ranked, b: Ranked): number =>
  a.decision === b.decision ? b.score - a.score : CANDIDATE_DECISIONS.indexOf(a.decision) - CANDIDATE_DECISIONS.indexOf(b.decision);
