import type { QuipuError } from '../../clients/typescript/src/error.ts';
import type { FollowState } from '../api/follow.ts';
import type {
  Candidate,
  ChangeField,
  ChangeRow,
  CompanyPage,
  Confirmation,
  Country,
  Dismissal,
  Verdict,
  WaitingDecision,
} from '../api/operations.ts';
import type { Account } from './account.ts';

/**
 * Reason for an unknown name: its registry did not answer, or the key has no module for it. Null if the name is known, or the registry has
 * none.
 */
export type NameGap = 'REGISTRY' | 'MODULE';

/** A watched company, identified by `companyId`. */
export interface WatchedCompany {
  readonly country: Country;
  /** Normalised tax id. */
  readonly identifier: string;
  readonly formattedIdentifier: string;
  /** Name; null if the registry has none, or if it is unknown (see `nameGap`). */
  readonly name: string | null;
  readonly nameGap: NameGap | null;
  /** Verdict; null if it was not requested, or the key has no module for it. */
  readonly verdict: Verdict | null;
  /** Parties of sanctions lists with similar names, including dismissed ones; null if names were not compared. */
  readonly candidates: readonly Candidate[] | null;
  /** Language of the explanations of its candidates, which the service wrote; absent before they were read. */
  readonly language?: string | undefined;
  /** Epoch ms; null while only the tax id is known. */
  readonly readAt: number | null;
  /** True after a change, until the verdict was read again. */
  readonly isOutdated: boolean;
  /** ISO text of the moment since when the key has watched it; null if that was not recorded. */
  readonly watchedSince: string | null;
  /** ISO text of its newest change; null if the change log has none. */
  readonly lastChangeAt: string | null;
  /** Tags in the account, in the order of their names. */
  readonly tags: readonly string[];
}

/** A company as its page shows it. */
export type ShownCompany = NonNullable<CompanyPage['company']>;

/** Interprets the error of a name. */
export const nameGapOf = (code: string): NameGap => (code === 'MODULE_NOT_ENABLED' ? 'MODULE' : 'REGISTRY');

/** Returns the name of a company by what was read about it. The consolidated check has the name, too. @param errors those of the answer */
export function nameOf({ name, compliance }: ShownCompany, errors: readonly QuipuError[]): Pick<WatchedCompany, 'name' | 'nameGap'> {
  const known = name ?? compliance?.checks.kyb?.companyName ?? null;
  if (known !== null) return { name: known, nameGap: null };
  const error = errors.find(({ path }) => path[0] === 'company' && path[1] === 'name');
  if (error) return { name: null, nameGap: nameGapOf(error.code) };
  return { name: null, nameGap: compliance && !compliance.checks.kyb ? 'REGISTRY' : null };
}

export const companyId = ({ country, identifier }: Pick<WatchedCompany, 'country' | 'identifier'>): string => `${country}/${identifier}`;

/** The state of the dashboard. Objects are stored by id; lists contain ids. */
export interface DashboardState {
  /** Account; null before the key was checked. */
  readonly account: Account | null;
  /** True when a source is a simulator, whose data can be changed. */
  readonly isSandbox: boolean;
  readonly connection: FollowState;
  /** Epoch ms at which the server last sent data; null for never. */
  readonly lastSeenAt: number | null;
  readonly companies: ReadonlyMap<string, WatchedCompany>;
  /** Number of companies that the monitors watch; null before they were read. `companies` has fewer until they were read, too. */
  readonly watched: number | null;
  /** Number of companies that had been read when the last load ended. */
  readonly settled: number;
  /** True while the portfolio is loaded for the first time, or further companies are loaded. */
  readonly isReading: boolean;
  /** False until the newest changes were read. Before, no changes are known. */
  readonly hasReadChanges: boolean;
  /** Changes by observation, newest first. */
  readonly changes: readonly ChangeRow[];
  /** Number of changes since the page was last open. */
  readonly missed: number;
  /** True when some changes since then are no longer stored. */
  readonly hasGap: boolean;
  /** Last failure of reading the portfolio; null when it was read. Earlier data stays. */
  readonly problem: QuipuError | null;
  /** Reason for which the key cannot be used; null while it can. */
  readonly refused: QuipuError | null;
}

export const initialState: DashboardState = {
  account: null,
  isSandbox: false,
  connection: { phase: 'connecting' },
  lastSeenAt: null,
  companies: new Map(),
  watched: null,
  settled: 0,
  isReading: true,
  hasReadChanges: false,
  changes: [],
  missed: 0,
  hasGap: false,
  problem: null,
  refused: null,
};

/** True once the portfolio was read, up to the limit without a click. */
export const isPortfolioKnown = ({ watched, companies, settled, isReading }: DashboardState): boolean =>
  watched !== null && companies.size >= watched && !(isReading && settled === 0);

const newestFirst = (a: ChangeRow, b: ChangeRow): number => Date.parse(b.detectedAt) - Date.parse(a.detectedAt);

/** Fields that affect the verdict. Other changes do not read it again, because each read counts on the key's plan. */
const VERDICT_FIELDS: ReadonlySet<ChangeField> = new Set([
  'STATUS',
  'LAST_RENEWED_YEAR',
  'SANCTIONS',
  'DEBARMENT',
  'LABOR',
  'CONTRACT_FINES',
]);

const withChangeAt = (company: WatchedCompany, at: string): WatchedCompany =>
  company.lastChangeAt && Date.parse(company.lastChangeAt) >= Date.parse(at) ? company : { ...company, lastChangeAt: at };

/** Maximum number of changes that stay in memory. */
const KEPT_CHANGES = 1_000;

/** Adds changes in the order of the log. Two monitors of one company report the same observation, which is shown once. */
export function withChanges(state: DashboardState, added: readonly ChangeRow[]): DashboardState {
  const reported = new Set(state.changes.map(({ observationId }) => observationId));
  const fresh: ChangeRow[] = [];
  for (const change of added) {
    if (reported.has(change.observationId)) continue;
    reported.add(change.observationId);
    fresh.unshift(change);
  }
  if (fresh.length === 0) return state;
  const companies = new Map(state.companies);
  for (const { company, changedFields, detectedAt } of fresh) {
    const known = companies.get(companyId(company));
    if (!known) continue;
    const before = withChangeAt(known, detectedAt);
    const isNewer = before.verdict !== null && Date.parse(before.verdict.generatedAt) <= Date.parse(detectedAt);
    const isOutdated = before.isOutdated || (isNewer && changedFields.some(({ field }) => VERDICT_FIELDS.has(field)));
    companies.set(companyId(company), { ...before, isOutdated });
  }
  const changes = [...fresh, ...state.changes].sort(newestFirst).slice(0, KEPT_CHANGES);
  return { ...state, companies, changes };
}

export const withCompanies = (state: DashboardState, read: readonly WatchedCompany[]): DashboardState => ({
  ...state,
  companies: new Map([...state.companies, ...read.map((company) => [companyId(company), company] as const)]),
});

/**
 * Decision of the account about a candidate: a dismissal, a confirmation, or none; and the decision that waits for a second person. A
 * waiting decision does not change what is in force.
 */
export type Decision =
  | { readonly dismissal: Dismissal | null; readonly confirmation: Confirmation | null; readonly waitingDecision?: null }
  | { readonly waitingDecision: WaitingDecision | null };

export const UNDECIDED: Decision = { dismissal: null, confirmation: null, waitingDecision: null };

export function asDismissed(dismissal: Dismissal): Decision {
  const { id, reason, dismissedAt: decidedAt, decidedBy, isWaiting } = dismissal;
  if (isWaiting) return { waitingDecision: { id, outcome: 'DISMISSED', reason, decidedAt, decidedBy } };
  return { dismissal, confirmation: null, waitingDecision: null };
}

export function asConfirmed(confirmation: Confirmation): Decision {
  const { id, reason, confirmedAt: decidedAt, decidedBy, isWaiting } = confirmation;
  if (isWaiting) return { waitingDecision: { id, outcome: 'CONFIRMED', reason, decidedAt, decidedBy } };
  return { dismissal: null, confirmation, waitingDecision: null };
}

/** True for a decision that waits, or that took effect after a moment. @param readAt epoch ms */
const concerns = ({ isWaiting, at }: { readonly isWaiting: boolean; readonly at: string }, readAt: number): boolean =>
  isWaiting || Date.parse(at) >= readAt;

/** A decision in force and one that waits are read apart, so neither removes the other. */
const ofList = (decision: Decision): Decision =>
  'dismissal' in decision ? { dismissal: decision.dismissal, confirmation: decision.confirmation } : decision;

/**
 * Applies decisions of the account that took effect after the answers about their companies, and those that wait. An older decision may be
 * about another record of the list. Decisions about owners do not concern candidates of the company.
 */
export function withDecisions(
  state: DashboardState,
  { dismissals, confirmations }: { readonly dismissals: readonly Dismissal[]; readonly confirmations: readonly Confirmation[] },
): DashboardState {
  const companies = new Map(state.companies);
  const decided = [
    ...dismissals
      .filter(({ ownerId }) => ownerId === null)
      .map((one) => ({
        ...one,
        at: one.approvedAt ?? one.dismissedAt,
        decision: asDismissed(one),
      })),
    ...confirmations.map((one) => ({ ...one, at: one.approvedAt ?? one.confirmedAt, decision: asConfirmed(one) })),
  ];
  for (const { company, decision, ...one } of decided) {
    const before = companies.get(companyId(company));
    if (!before?.candidates || !concerns(one, before.readAt ?? 0)) continue;
    companies.set(companyId(before), withDecision(before, one, ofList(decision)));
  }
  return { ...state, companies };
}

/** Returns a company after a decision about one of its candidates. */
export const withDecision = (
  company: WatchedCompany,
  { list, entityId }: Pick<Candidate, 'list' | 'entityId'>,
  decision: Decision,
): WatchedCompany => ({
  ...company,
  candidates: company.candidates?.map((one) => (one.list === list && one.entityId === entityId ? { ...one, ...decision } : one)) ?? null,
});
