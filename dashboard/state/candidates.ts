import type { Candidate, CandidateDecision, Country } from '../api/operations.ts';
import { companyId, type DashboardState, isPortfolioKnown, type WatchedCompany } from './model.ts';
import { uncompared, unread } from './portfolio.ts';

/** A candidate of a watched company. */
export interface CandidateOfCompany {
  readonly company: WatchedCompany;
  readonly candidate: Candidate;
}

/** True for an undecided candidate whose tax id is that of the company, which needs no decision. */
export const isMatchedById = ({ matchedById, dismissal, confirmation }: Candidate): boolean => matchedById && !dismissal && !confirmation;

/** True for a candidate that a person must decide about. */
export const isOpen = (candidate: Candidate): boolean => !isMatchedById(candidate) && !candidate.dismissal && !candidate.confirmation;

export const candidateId = ({ company, candidate: { list, entityId } }: CandidateOfCompany): string =>
  `${companyId(company)} ${list} ${entityId}`;

/** Returns the candidates of companies, best first. An equal name precedes a similar one. */
export const candidatesOf = (companies: Iterable<WatchedCompany>): readonly CandidateOfCompany[] =>
  [...companies]
    .flatMap((company) => (company.candidates ?? []).map((candidate) => ({ company, candidate })))
    .sort((a, b) => a.candidate.decision.localeCompare(b.candidate.decision) || b.candidate.score - a.candidate.score);

/**
 * Returns the number of candidates that a person must decide about; null while it is not known: a company was not read or its names were not
 * compared, or its registry or a list failed. A company without candidates that was read has no name to compare.
 */
export function openCandidates(state: DashboardState): number | null {
  if (!isPortfolioKnown(state) || unread(state).length > 0 || uncompared(state).length > 0) return null;
  const companies = [...state.companies.values()];
  if (companies.some(({ candidates, verdict, isOutdated }) => isOutdated || (!candidates && hasFailed(verdict)))) return null;
  return candidatesOf(companies).filter(({ candidate }) => isOpen(candidate)).length;
}

/** Checks without which names are not compared. */
const NEEDED: ReadonlySet<string> = new Set(['KYB', 'SANCTIONS']);

const hasFailed = (verdict: WatchedCompany['verdict']): boolean => verdict?.sourcesFailed.some((check) => NEEDED.has(check)) ?? true;

/** States of candidates. */
export const CANDIDATE_STATES = ['open', 'matchedById', 'confirmed', 'dismissed'] as const;
export type CandidateState = (typeof CANDIDATE_STATES)[number];

/** The candidates to show. A field that is null selects all. */
export interface CandidateFilter {
  readonly text: string;
  readonly list: string | null;
  readonly country: Country | null;
  readonly state: CandidateState | null;
  /** Decision about the names; it applies to undecided candidates. */
  readonly decision: CandidateDecision | null;
}

export const NO_FILTER: CandidateFilter = { text: '', list: null, country: null, state: null, decision: null };

/** True for an undecided candidate that a filter selects by its list, country, names and text. */
export function isSelected(filter: CandidateFilter, { company, candidate }: CandidateOfCompany): boolean {
  const { list, entryName, matchedName, screenedName, decision } = candidate;
  if (filter.list !== null && list !== filter.list) return false;
  if (filter.country !== null && company.country !== filter.country) return false;
  if (filter.decision !== null && decision !== filter.decision) return false;
  const text = filter.text.trim().toLowerCase();
  const shown = [entryName, matchedName, screenedName, company.name ?? '', company.identifier, company.formattedIdentifier];
  return shown.some((one) => one.toLowerCase().includes(text));
}

/** Maximum number of candidates that one request decides about. */
export const MAX_AT_ONCE = 100;

/**
 * Returns the shown candidates that are chosen together. One with a decision that waits for a second person is chosen alone, because another
 * decision replaces it and its reason.
 */
export const chosenTogether = (shown: readonly CandidateOfCompany[]): readonly CandidateOfCompany[] =>
  shown.filter(({ candidate }) => !candidate.waitingDecision).slice(0, MAX_AT_ONCE);
