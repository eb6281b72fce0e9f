import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../src/domain/time.ts';
import {
  firstRegularCheck,
  nextCheckAfterFailure,
  nextRegularCheck,
  scheduleAfterFailure,
  scheduleAfterSuccess,
  tickMs,
  type WatchedCompany,
} from '../../../src/modules/monitor/domain/watched-company.ts';
import { monitorService } from '../../../src/modules/monitor/service/monitor.ts';
import { testDb } from '../../support/db.ts';
import { node, testRegistry } from './registry.ts';
import { brazilian, cnpj, companiesOf, watch } from './support.ts';

const INTERVAL = 6 * HOUR_MS;
const LONGEST_GAP = INTERVAL + 15 * MINUTE_MS;
const KNOWN = { status: 'active', size: 'small', activity: 'Padaria' } as const;

/** A watched company before its first check. */
const newcomer = (number: number, at: number): WatchedCompany => ({
  company: brazilian(cnpj(number)),
  legalPerson: `BR:${number}`,
  number,
  snapshot: null,
  ignored: null,
  extractedOn: null,
  anchorAt: at,
  failures: 0,
});

interface Outage {
  readonly from: number;
  readonly to: number;
}

/** Times of the checks of 500 companies that are watched from the same moment on. The process is down during each outage. */
const simulate = (days: number, away: readonly Outage[]): readonly (readonly number[])[] =>
  Array.from({ length: 500 }, (_, n) => {
    const checks: number[] = [];
    let watched = newcomer(n + 1, 0);
    for (let now = 0; now < days * DAY_MS; ) {
      checks.push(now);
      const { dueAt, ...rhythm } = scheduleAfterSuccess(watched, { interval: INTERVAL, now, random: 0.5 });
      watched = { ...watched, ...rhythm, snapshot: KNOWN };
      now = nextCheck(dueAt, away);
    }
    return checks;
  });

/** The first tick at or after `dueAt` at which the process runs. */
function nextCheck(dueAt: number, away: readonly Outage[]): number {
  const tick = tickMs(INTERVAL);
  const at = Math.ceil(dueAt / tick) * tick;
  const outage = away.find(({ from, to }) => at >= from && at < to);
  return outage ? Math.ceil(outage.to / tick) * tick : at;
}

const gapsOf = (checks: readonly number[]): readonly number[] => checks.slice(1).map((at, i) => at - (checks[i] ?? 0));

/** Number of windows of six hours, from the first regular check on, without a check of the company. */
function windowsMissed(checks: readonly number[], number: number): number {
  const start = firstRegularCheck(0, number, INTERVAL);
  const seen = new Set(checks.filter((at) => at >= start).map((at) => Math.floor((at - start) / INTERVAL)));
  return Math.max(...seen) + 1 - seen.size;
}

describe('MO-01 every company is checked in every window of six hours', () => {
  /** Restarts about once a day, for up to 14 minutes. */
  const restarts = fc.array(
    fc.record({ from: fc.integer({ min: 0, max: 30 * DAY_MS }), lasts: fc.integer({ min: SECOND_MS, max: 14 * MINUTE_MS }) }),
    { minLength: 20, maxLength: 40 },
  );

  it('for 30 days with random restarts: no gap is longer than 6 h 15 min', () => {
    fc.assert(
      fc.property(restarts, (downs) => {
        const apart = downs.toSorted((a, b) => a.from - b.from).filter(({ from }, i, all) => i === 0 || from - all[i - 1]!.from > HOUR_MS);
        const histories = simulate(
          30,
          apart.map(({ from, lasts }) => ({ from, to: from + lasts })),
        );
        expect(Math.max(...histories.map((checks) => Math.max(...gapsOf(checks))))).toBeLessThanOrEqual(LONGEST_GAP);
        expect(Math.min(...histories.map(({ length }) => length))).toBeGreaterThanOrEqual(30 * 4);
        expect(Math.max(...histories.map((checks, n) => windowsMissed(checks, n + 1)))).toBe(0);
      }),
      { numRuns: 50 },
    );
  }, 60_000);

  it('spread over time: the busiest minute has at most three times the mean when all were added at once', () => {
    const times = simulate(30, []).flatMap((checks) => checks.slice(1)); // the baseline is taken at once
    const perMinute = Map.groupBy(times, (at) => Math.floor(at / MINUTE_MS));
    const mean = (500 * MINUTE_MS) / INTERVAL;
    expect(Math.max(...[...perMinute.values()].map((group) => group.length))).toBeLessThanOrEqual(3 * mean);
  });
});

describe('a check', () => {
  const time = fc.integer({ min: 0, max: 100 * DAY_MS });
  const interval = fc.constantFrom(2 * SECOND_MS, 10 * SECOND_MS, MINUTE_MS, HOUR_MS, INTERVAL);

  it('is scheduled next a whole number of intervals after its anchor, in the future and within one interval', () => {
    fc.assert(
      fc.property(time, time, interval, (anchor, later, interval) => {
        const now = anchor + later;
        const next = nextRegularCheck(anchor, interval, now);
        expect((next - anchor) % interval).toBe(0);
        expect(next).toBeGreaterThan(now);
        expect(next - now).toBeLessThanOrEqual(interval);
      }),
    );
  });

  it('is scheduled first within an interval of the baseline, in the second half when the interval is longer than a minute', () => {
    fc.assert(
      fc.property(time, fc.integer({ min: 1, max: 1e9 }), interval, (at, number, interval) => {
        const wait = firstRegularCheck(at, number, interval) - at;
        expect(wait).toBeLessThanOrEqual(interval + 0.001);
        expect(wait).toBeGreaterThanOrEqual(interval <= MINUTE_MS ? interval : interval / 2);
      }),
    );
  });

  it('that failed is retried after 1, 2, 4, … 30 minutes, and no later than the next regular check', () => {
    const at = (failures: number) =>
      nextCheckAfterFailure({ failures, anchorAt: 0 }, { interval: INTERVAL, now: HOUR_MS, random: 0.5 }) - HOUR_MS;
    expect([1, 2, 3, 4, 5, 6, 20].map(at)).toEqual([1, 2, 4, 8, 16, 30, 30].map((minutes) => minutes * MINUTE_MS));
    const nearly = { interval: INTERVAL, now: INTERVAL - 10 * SECOND_MS, random: 0.5 };
    expect(nextCheckAfterFailure({ failures: 3, anchorAt: 0 }, nearly)).toBe(INTERVAL);
  });

  it('that fails keeps the regular schedule', () => {
    const watched = { ...newcomer(1, 0), snapshot: KNOWN, anchorAt: 5 * MINUTE_MS };
    const failed = scheduleAfterFailure(watched, { interval: INTERVAL, now: 5 * MINUTE_MS, random: 0.5 });
    expect(failed).toEqual({ anchorAt: 5 * MINUTE_MS, dueAt: 6 * MINUTE_MS, failures: 1 });
    const moment = { interval: INTERVAL, now: failed.dueAt, random: 0.5 };
    expect(scheduleAfterSuccess({ ...watched, ...failed }, moment)).toEqual({
      anchorAt: 5 * MINUTE_MS,
      dueAt: 5 * MINUTE_MS + INTERVAL,
      failures: 0,
    });
  });
});

describe('claims in the database', () => {
  it('MO-01 keep the gap between checks of a company below 6 h 15 min while processes restart', async () => {
    const db = await testDb();
    onTestFinished(() => db.close());
    const registry = await testRegistry();
    let now = Date.parse('2026-11-21T00:00:00Z');
    const seen = new Map<string, number[]>();
    registry.reply = (cnpj) => {
      seen.set(cnpj, [...(seen.get(cnpj) ?? []), now]);
      return null;
    };
    const fresh = () => node({ db: db.knex, registry, now: () => now }).open(monitorService).checks;
    await watch(db.knex, companiesOf(40), { now });
    const never = new AbortController().signal;
    let services = [fresh(), fresh()];
    for (let step = 0; step < 150; step += 1) {
      await Promise.all(services.map((service) => service.check('BR', never)));
      now += 14 * MINUTE_MS;
      if (step % 10 === 0) services = [fresh(), fresh()];
    }
    expect(seen.size).toBe(40);
    expect(Math.max(...[...seen.values()].flatMap(gapsOf))).toBeLessThanOrEqual(LONGEST_GAP);
  }, 60_000);
});
