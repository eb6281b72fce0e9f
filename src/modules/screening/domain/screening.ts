import type { CompanyKey, RegistrationStatus } from '../../../domain/company.ts';
import type { Completeness, RiskLevel } from '../../../domain/compliance.ts';

/*
 * Terminology
 *
 * Portfolio: the companies that a caller submits for a screening, one per row. Screening: checks of a portfolio in the background.
 * Rejected row: a row that does not identify a company, or repeats an earlier one. Batch: up to 500 pending companies that a process
 * checks under a lease. Their results, counts and usage are committed together. Findings: a summary of the modules' answers about a
 * company.
 */

/** Modules that a portfolio can be screened with. */
export const SCREENED_MODULES = ['compliance_br', 'compliance', 'kyb', 'owners', 'debarment', 'sanctions', 'labor', 'tax_health'] as const;
export type ScreenedModule = (typeof SCREENED_MODULES)[number];

/** Maximum number of rows of a portfolio. */
export const MAX_ROWS = 100_000;
/** Maximum length of the name of a screening, in characters. */
export const MAX_NAME = 200;

export type ScreeningState = 'queued' | 'running' | 'done' | 'cancelled';

/** A screening with its counts. Times are epoch ms. */
export interface Screening {
  /** UUID; callers see `scr_…`. */
  readonly id: string;
  readonly keyId: string;
  readonly name: string | null;
  readonly modules: readonly ScreenedModule[];
  readonly state: ScreeningState;
  /** Number of companies, each counted once. */
  readonly total: number;
  /** Companies with an answer. */
  readonly done: number;
  /** Companies without any answer, after the last attempt. */
  readonly failed: number;
  /** Number of rejected rows that identify no company which the modules serve. */
  readonly invalid: number;
  /** Number of rejected rows that repeat the company of an earlier row. */
  readonly duplicates: number;
  readonly createdAt: number;
  /** Names of the caller's own columns, which a file of all rows has; null unless they are kept. */
  readonly ownColumns: readonly string[] | null;
  /** Null while it is queued or running. */
  readonly finishedAt: number | null;
  /** URL that is called when the screening is done; null without a webhook. */
  readonly webhookUrl: string | null;
  /** Epoch ms of the successful delivery of the webhook; null before. */
  readonly webhookDeliveredAt: number | null;
  /**
   * Code of the failure of the last webhook attempt, such as `timeout` or `http_status 500`; null before an attempt and after a delivery.
   */
  readonly webhookError: string | null;
}

/** A summary of the answers about a company. A field is null if no module of the screening provides it, or that module failed. */
export interface Findings {
  readonly name: string | null;
  readonly registrationStatus: RegistrationStatus | null;
  readonly riskLevel: RiskLevel | null;
  readonly completeness: Completeness | null;
  /** Risk reasons, `"<check>.<code>: <sentence>"`, as in the consolidated check. */
  readonly riskReasons: readonly string[] | null;
  readonly isSanctioned: boolean | null;
  readonly isDebarred: boolean | null;
  readonly hasLaborViolations: boolean | null;
  readonly isTaxDebtor: boolean | null;
  readonly ownerCount: number | null;
}

export const NO_FINDINGS: Findings = {
  name: null,
  registrationStatus: null,
  riskLevel: null,
  completeness: null,
  riskReasons: null,
  isSanctioned: null,
  isDebarred: null,
  hasLaborViolations: null,
  isTaxDebtor: null,
  ownerCount: null,
};

/** The result of one company. */
export interface ScreeningResult {
  /** Row of the portfolio, counted from 1. */
  readonly row: number;
  readonly company: CompanyKey;
  readonly findings: Findings;
  /** Modules without an answer, although all attempts were made. */
  readonly failedModules: readonly ScreenedModule[];
  /** Epoch ms. */
  readonly checkedAt: number;
  /** Cells of the caller's own columns; null unless they are kept. */
  readonly ownCells: readonly string[] | null;
}

/** Outcome of a row of a portfolio. `failed`: no module answered. */
export type RowOutcome = 'pending' | 'answered' | 'failed' | 'invalid' | 'duplicate';

/** A row of a portfolio with its result, or with the reason for which it has none. */
export interface PortfolioResult extends Pick<ScreeningResult, 'row' | 'ownCells'> {
  readonly outcome: RowOutcome;
  /** Null for a row that is not checked. */
  readonly company: CompanyKey | null;
  /** Null for a company that is pending, and for a row that is not checked. */
  readonly result: ScreeningResult | null;
  /** Reason for which the row is not checked; null for a company. */
  readonly reason: string | null;
}

/** Number of results that have the same level, completeness and outcome. */
export interface ResultGroup extends Pick<Findings, 'riskLevel' | 'completeness'> {
  /** False for companies without any answer. */
  readonly answered: boolean;
  readonly companies: number;
}

/** Maximum number of attempts to check a company whose sources fail. */
export const MAX_ATTEMPTS = 3;

/**
 * Returns the ms until a company with failed modules is checked again; null after the last attempt.
 * @param attempts made so far, 1 or more
 */
export const retryMs = (attempts: number): number | null => (attempts >= MAX_ATTEMPTS ? null : 30_000 * attempts);
