import type { Completeness, RiskLevel } from '../../src/domain/compliance.ts';
import { DAY_MS, isoDate } from '../../src/domain/time.ts';

/** The levels of the demo portfolio on a day before the sandbox started. */
export interface MadeUpDay {
  /** ISO date, in UTC. */
  readonly day: string;
  readonly groups: readonly { readonly riskLevel: RiskLevel; readonly completeness: Completeness; readonly companies: number }[];
  readonly isMadeUp: true;
}

/** Number of days of the history: twelve weeks. */
const DAYS = 84;
/** Days before today on which a source was away, so that no low level was complete: from, to. */
const OUTAGE = [31, 30] as const;

/**
 * Makes up the levels of a portfolio for the twelve weeks before today: the portfolio grew, companies were listed, and once a source was away
 * for two days.
 * @param companies number of companies today
 */
export const madeUpLevels = (companies: number, now: number): readonly MadeUpDay[] =>
  Array.from({ length: DAYS }, (_, i) => {
    const ago = DAYS - i;
    const watched = Math.max(1, companies - Math.floor(ago / 14));
    const high = Math.min(watched, ago > 50 ? 1 : ago > 20 ? 2 : 3);
    const medium = Math.min(watched - high, ago > 60 ? 2 : ago > 10 ? 3 : 4);
    const isAway = ago <= OUTAGE[0] && ago >= OUTAGE[1];
    const groups = [
      { riskLevel: 'high', completeness: 'complete', companies: high },
      { riskLevel: 'medium', completeness: 'complete', companies: medium },
      { riskLevel: 'low', completeness: isAway ? 'partial' : 'complete', companies: watched - high - medium },
    ] as const;
    return { day: isoDate(now - ago * DAY_MS), groups: groups.filter((group) => group.companies > 0), isMadeUp: true };
  });
