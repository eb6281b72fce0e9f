import type { Candidate, Confirmation, Dismissal } from '../api/operations.ts';
import {
  asConfirmed,
  asDismissed,
  candidateKey,
  type Decision,
  type DecisionLog,
  isInForce,
  type KnownParts,
  newerParts,
  partsSince,
  withLearned,
} from './decision-log.ts';
import { companyId, type DashboardState, type WatchedCompany } from './model.ts';

type CompanyKey = Pick<WatchedCompany, 'country' | 'identifier'>;
type Party = Pick<Candidate, 'list' | 'entityId'>;

/** Returns the state after a decision that a person made on this page. It is newer than every answer that is still on its way. */
export function withDecided(
  state: DashboardState,
  company: CompanyKey,
  party: Party,
  decision: Decision,
  at: number = Date.now(),
): DashboardState {
  return withParts(state, company, party, { parts: decision, at });
}

/** Returns candidates of an answer with the decisions that are newer than it. @param askedAt epoch ms at which it was asked for */
export const withLaterDecisions = (
  candidates: readonly Candidate[],
  { company, log, askedAt }: { readonly company: CompanyKey; readonly log: DecisionLog; readonly askedAt: number },
): readonly Candidate[] => candidates.map((one) => ({ ...one, ...partsSince(log, candidateKey(company, one), askedAt) }));

/** Lists of decisions of the account. */
interface Lists {
  readonly dismissals: readonly Dismissal[];
  readonly confirmations: readonly Confirmation[];
}

/**
 * Applies lists of decisions: those that took effect after the answers about their companies, and those that wait. An older decision may be
 * about another record of the list. Decisions about owners do not concern candidates of the company. A list that was asked for before the
 * answer about a company, or before the page learned of another decision about the candidate, changes nothing of it.
 * @param askedAt epoch ms at which the lists were asked for
 */
export function withDecisions(state: DashboardState, { dismissals, confirmations }: Lists, askedAt: number): DashboardState {
  const decided = [
    ...dismissals
      .filter(({ ownerId }) => ownerId === null)
      .map((one) => ({ ...one, at: one.approvedAt ?? one.dismissedAt, decision: asDismissed(one) })),
    ...confirmations.map((one) => ({ ...one, at: one.approvedAt ?? one.confirmedAt, decision: asConfirmed(one) })),
  ];
  return decided.reduce((before, { company, decision, ...one }) => {
    const known = before.companies.get(companyId(company));
    if (!known?.candidates || comparedAt(known) > askedAt || !(one.isWaiting || Date.parse(one.at) >= comparedAt(known))) return before;
    const parts = newerParts(before.decisions, candidateKey(company, one), ofList(decision), askedAt);
    return withParts(before, company, one, { parts, at: askedAt });
  }, state);
}

/** Returns the moment (epoch ms) at which the candidates of a company were asked for; 0 for none. */
const comparedAt = (company: WatchedCompany): number => company.comparedAt ?? company.readAt ?? 0;

/** A decision in force and one that waits are read apart, so neither removes the other. */
const ofList = (decision: Decision): Decision =>
  isInForce(decision) ? { dismissal: decision.dismissal, confirmation: decision.confirmation } : decision;

interface Known {
  readonly parts: KnownParts;
  readonly at: number;
}

function withParts(state: DashboardState, company: CompanyKey, party: Party, { parts, at }: Known): DashboardState {
  if (Object.keys(parts).length === 0) return state;
  const decisions = withLearned(state.decisions, candidateKey(company, party), parts, at);
  const watched = state.companies.get(companyId(company));
  if (!watched?.candidates) return { ...state, decisions };
  const isMeant = (one: Candidate): boolean => one.list === party.list && one.entityId === party.entityId;
  const candidates = watched.candidates.map((one) => (isMeant(one) ? { ...one, ...parts } : one));
  const decidedAt = Math.max(watched.decidedAt ?? 0, at);
  return { ...state, decisions, companies: new Map(state.companies).set(companyId(company), { ...watched, candidates, decidedAt }) };
}
