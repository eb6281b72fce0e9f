import type { CompanyKey } from '../../../domain/company.ts';
import { AppError } from '../../../domain/errors.ts';
import { HOUR_MS, isoDate, SECOND_MS } from '../../../domain/time.ts';
import { enqueue } from '../../../jobs/job.ts';
import type { Load } from '../../../loaders/loader.ts';
import type { ServiceDeps } from '../../../service.ts';
import { complianceLoaderFor } from '../../compliance/loader.ts';
import { groupsOf, type PortfolioDay, type Verdict } from '../domain/history.ts';
import {
  companiesOfKey,
  type DueKey,
  dueKeys,
  hasPortfolioDays,
  insertPortfolioDays,
  savePortfolioDay,
  type TakenSnapshot,
} from '../store/portfolio-days.ts';
import type { MonitorSettings } from './settings.ts';

/** Name of the job that records the levels of portfolios. */
export const LEVELS = 'monitor.levels';

/** Number of companies that are checked concurrently. */
const CHECKED_AT_ONCE = 32;
/** Shortest and longest interval between two runs. It is the interval of the checks between them. */
const SHORTEST_MS = 10 * SECOND_MS;
const LONGEST_MS = HOUR_MS;

/**
 * Records how many companies of each key have which level, once a day. The snapshot of a day is taken again, at most four times with growing
 * waits, while a company has no verdict that a source may still give.
 */
export interface PortfolioLevels {
  /**
   * Records the portfolios that have no snapshot of the day, or one that is to be completed, until `signal` aborts, and enqueues itself again. @throws when the queue
   * itself fails
   */
  record(signal: AbortSignal): Promise<void>;
  /** Stores made-up days of the key of a sandbox, unless the key has a snapshot. */
  seed(keyId: string, days: readonly PortfolioDay[]): Promise<void>;
}

export interface PortfolioLevelsDeps extends Pick<ServiceDeps, 'db' | 'now' | 'log' | 'loaders'> {
  readonly settings: Pick<MonitorSettings, 'intervalMs'>;
}

/** The levels of a portfolio, and whether a further attempt may find more of them. */
type Levels = Pick<TakenSnapshot, 'groups' | 'canImprove'>;

/** True if a key has the module of the consolidated check of a company. */
const mayRead = ({ modules, lists }: Pick<DueKey, 'modules' | 'lists'>, { country }: CompanyKey): boolean =>
  modules.has(complianceLoaderFor(country, { lists }).module);

/**
 * Creates the recorder. The levels are those of the consolidated check, from the same caches as the answers to requests. Nothing is counted as
 * usage, and no level of a single company is stored.
 */
export function createPortfolioLevels({ db, now, log, loaders, settings }: PortfolioLevelsDeps): PortfolioLevels {
  async function recordAll(signal: AbortSignal): Promise<void> {
    const day = isoDate(now());
    for (const key of await dueKeys(db, { day, now: now() })) {
      const levels = await levelsOf(key, await companiesOfKey(db, key.keyId), signal);
      if (signal.aborted) return;
      await savePortfolioDay(db, key.keyId, { ...levels, day, isMadeUp: false, now: now() });
    }
  }

  async function levelsOf(key: DueKey, companies: readonly CompanyKey[], signal: AbortSignal): Promise<Levels> {
    const verdicts: Verdict[] = [];
    let canImprove = false;
    for (let from = 0; from < companies.length && !signal.aborted; from += CHECKED_AT_ONCE) {
      const load = loaders.scope({ signal });
      const part = companies.slice(from, from + CHECKED_AT_ONCE);
      const found = await Promise.all(part.map((company) => verdictOf(company, key, load)));
      canImprove ||= found.some((verdict, i) => verdict === null && mayRead(key, part[i] as CompanyKey));
      verdicts.push(...found);
    }
    return { groups: groupsOf(verdicts), canImprove };
  }

  /** Returns the verdict about a company; null if the key may not read it, or no source answered. */
  async function verdictOf(company: CompanyKey, { modules, lists }: DueKey, load: Load): Promise<Verdict> {
    if (!mayRead({ modules, lists }, company)) return null;
    const loader = complianceLoaderFor(company.country, { lists });
    try {
      const { value } = await load(loader, company);
      return value.completeness === 'insufficient' ? null : { riskLevel: value.risk.level, completeness: value.completeness };
    } catch (error) {
      if (!(error instanceof AppError)) log.error({ err: error }, 'the level of a watched company could not be recorded');
      return null;
    }
  }

  return {
    async record(signal) {
      await recordAll(signal).catch((error: Error) => log.error({ err: error }, 'the levels of portfolios could not be recorded'));
      const pause = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, settings.intervalMs));
      await enqueue(db, LEVELS, {}, { key: LEVELS, runAt: now() + pause });
    },
    async seed(keyId, days) {
      if (!(await hasPortfolioDays(db, keyId))) await insertPortfolioDays(db, keyId, days);
    },
  };
}
