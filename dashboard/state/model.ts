import type { QuipuError } from '../../clients/typescript/src/error.ts';
import type { FollowState } from '../api/follow.ts';
import type { Candidate, ChangeField, ChangeRow, CompanyPage, Country, PublicRecord, Verdict } from '../api/operations.ts';
import type { Account } from './account.ts';
import type { DecisionLog } from './decision-log.ts';

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
  /** Epoch ms at which its candidates were asked for; absent if the verdict had them, which `readAt` dates. */
  readonly comparedAt?: number | undefined;
  /** Epoch ms for which the newest decision is known that did not come with its candidates; absent without one. */
  readonly decidedAt?: number | undefined;
  /** Epoch ms of the newest decision about its owners, which an answer that was asked for before may lack; absent without one. */
  readonly ownersDecidedAt?: number | undefined;
  /** Language of the explanations of its candidates, which the service wrote; absent before they were read. */
  readonly language?: string | undefined;
  /** Epoch ms at which the answer about it was asked for; null while only the tax id is known. */
  readonly readAt: number | null;
  /** True after a change, until the verdict was read again. */
  readonly isOutdated: boolean;
  /** ISO text of the moment since when the key has watched it; null if that was not recorded. */
  readonly watchedSince: string | null;
  /** ISO text of its newest change; null if the change log has none. */
  readonly lastChangeAt: string | null;
  /** Tags in the account, in the order of their names. */
  readonly tags: readonly string[];
  /** Epoch ms at which this page changed its tags; absent if it did not. */
  readonly taggedAt?: number | undefined;
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

/** Returns the registration that came with a company: null if the registry has no such company, undefined if it was not read. */
export const registrationOf = ({ compliance }: Pick<ShownCompany, 'compliance'>): PublicRecord | null | undefined =>
  compliance?.registration ?? (compliance?.checks.kyb ? null : undefined);

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
  /**
   * Number of companies that the monitors watch; null before it is known. Until then `companies` has those that this browser kept, which
   * may not be watched any more; from then on it has the watched ones only.
   */
  readonly watched: number | null;
  /** Decisions about candidates that the page learned apart from the answers with them. */
  readonly decisions: DecisionLog;
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
  decisions: new Map(),
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
export const isPortfolioKnown = ({ watched, settled, isReading }: DashboardState): boolean =>
  watched !== null && !(isReading && settled === 0);

const NONE: DashboardState['companies'] = new Map();

/** Returns the companies that are known to be watched; none before that is known. */
export const knownWatched = ({ watched, companies }: DashboardState): DashboardState['companies'] => (watched === null ? NONE : companies);

/** Returns the failure for which the page has no data, or none that is up to date; null without one. */
export const failureOf = ({ problem, connection }: DashboardState): QuipuError | null =>
  problem ?? (connection.phase === 'refused' ? connection.error : null);

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

/** True for a change after which a verdict is read again: it affects the verdict, and is not older than it. */
export const isNewerThan = ({ generatedAt }: Pick<Verdict, 'generatedAt'>, { changedFields, detectedAt }: ChangeRow): boolean =>
  Date.parse(generatedAt) <= Date.parse(detectedAt) && changedFields.some(({ field }) => VERDICT_FIELDS.has(field));

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
  for (const change of fresh) {
    const id = companyId(change.company);
    const known = companies.get(id);
    if (!known) continue;
    const isOutdated = known.isOutdated || (known.verdict !== null && isNewerThan(known.verdict, change));
    companies.set(id, { ...withChangeAt(known, change.detectedAt), isOutdated });
  }
  const changes = [...fresh, ...state.changes].sort(newestFirst).slice(0, KEPT_CHANGES);
  return { ...state, companies, changes };
}

export const withCompanies = (state: DashboardState, read: readonly WatchedCompany[]): DashboardState => ({
  ...state,
  companies: new Map([...state.companies, ...read.map((company) => [companyId(company), company] as const)]),
});
