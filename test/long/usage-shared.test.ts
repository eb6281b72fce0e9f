import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { companies, companyByScenario } from '../../sandbox/world/brazil/world.ts';
import type { App } from '../../src/app.ts';
import { MODULES } from '../../src/domain/catalogue.ts';
import { monthOf } from '../../src/domain/time.ts';
import { wrongCounters } from '../../src/metering/store/usage-counters.ts';
import { testApp } from '../support/app.ts';
import { testDb } from '../support/db.ts';
import { rounds } from '../support/rounds.ts';
import { until } from '../support/until.ts';
import { startService } from './load/service.ts';

/** Time after which each process has drained its journal. */
const DRAIN_MS = 2_000;

const [one, other] = [companyByScenario('clean').cnpj, companyByScenario('status-unfit').cnpj];

const CHECKS = rounds(2_000);
const INCLUDED = rounds(500);
const CLIENTS = 64;

it(`MT-03 three processes with ${CLIENTS} clients charge ${CHECKS} checks exactly: ${INCLUDED} are included, each other one costs 0.30 USD`, async () => {
  const plan = { compliance_br: { included: INCLUDED, rate: null } };
  const { db, processes, newKey } = await startService({ processes: 3, env: { QUIPU_PLANS: JSON.stringify({ standard: plan }) } });
  const { key } = await newKey();
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const urlOf = (n: number) => processes[n % 3]?.url ?? '';
  const statuses: number[] = [];
  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    for (let nth = client; nth < CHECKS; nth += CLIENTS) {
      const body = JSON.stringify({ cnpj: companies[nth % 20]?.cnpj });
      const answer = await fetch(`${urlOf(nth)}/v1/compliance-br`, { method: 'POST', headers, body });
      await answer.text();
      statuses.push(answer.status);
    }
  });
  await Promise.all(clients);

  expect([statuses.length, new Set(statuses)]).toEqual([CHECKS, new Set([200])]);
  await sleep(DRAIN_MS);
  const overage = CHECKS - INCLUDED;
  const amount = (0.3 * overage).toFixed(2);
  for (const { url } of processes) {
    const report = (await (await fetch(`${url}/v1/usage`, { headers })).json()) as { usage: { module: string }[]; total_amount: string };
    expect(report.usage.find(({ module }) => module === 'compliance_br')).toMatchObject({
      included: INCLUDED,
      used: CHECKS,
      overage,
      amount,
    });
    expect(report.total_amount).toBe(amount);
  }
  expect(await wrongCounters(db, [monthOf(Date.now())])).toEqual([]);
});

const YEARS = 4;
const ENDS = rounds(12 * YEARS);
/** Milliseconds by which the clock of each process differs. */
const SKEWS = [-2_000, 0, 2_000] as const;
/** The first ones are in the old month by every clock, the last one in the new month. */
const ASIDES = [-2_500, -1_500, -500, 0, 500, 1_500, 2_500] as const;

it(`MT-06 each request belongs to the UTC month in which it began by the clock of its process, at ${ENDS} month ends and for three clocks 2 s apart; no closed month changes`, async () => {
  const clock = { now: Date.UTC(2026, 11, 31) };
  const db = await testDb();
  onTestFinished(() => db.close());
  const apps = await Promise.all(SKEWS.map((skew) => testApp({ db, now: () => clock.now + skew, listsTried: false })));
  onTestFinished(async () => void (await Promise.all(apps.map((app) => app.close()))));
  for (const { sandbox } of apps) sandbox?.faults.set('receita_federal', { mode: 'slow', ms: 300, match: other });
  const key = (await apps[0]?.keyFor(...MODULES)) ?? '';
  const expected: Record<string, number> = {};
  /** Sends a request to each process; settles with their statuses. */
  const send = (cnpj: string) => {
    for (const skew of SKEWS) {
      const month = new Date(clock.now + skew).toISOString().slice(0, 7);
      expected[month] = (expected[month] ?? 0) + 1;
    }
    return Promise.all(apps.map(async (app) => (await app.post('/v1/kyb', { identifier: cnpj, country: 'BR' }, key)).status));
  };
  const counted = async (): Promise<Readonly<Record<string, number>>> => {
    for (const { drainUsage } of apps) await drainUsage();
    const { rows } = await db.knex.raw("SELECT to_char(month, 'YYYY-MM') AS month, sum(used)::int AS used FROM usage_counters GROUP BY 1");
    return Object.fromEntries(rows.map(({ month, used }: { month: string; used: number }) => [month, used]));
  };

  const closed: Record<string, number | undefined> = {};
  const statuses: number[] = [];
  for (let end = 0; end < ENDS; end += 1) {
    const midnight = Date.UTC(2027, end, 1);
    clock.now = midnight + ASIDES[0];
    const across = send(other); // begins in the old month, and is answered in the new one
    await until(() => apps.every(({ sandbox }) => callsFor(other, sandbox) > end));
    for (const aside of ASIDES) {
      clock.now = midnight + aside;
      statuses.push(...(await send(one)));
    }
    statuses.push(...(await across));
    const month = new Date(midnight - 1).toISOString().slice(0, 7);
    closed[month] = (await counted())[month];
  }

  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(await counted()).toEqual(expected);
  expect(Object.values(expected).reduce((sum, one) => sum + one, 0)).toBe(statuses.length);
  expect(closed).toEqual(Object.fromEntries(Object.keys(closed).map((month) => [month, expected[month]])));
  expect(await wrongCounters(db.knex, Object.keys(expected))).toEqual([]);
  const { rows } = await db.knex.raw("SELECT FROM usage_events WHERE to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-01') <> month::text");
  expect(rows).toEqual([]);
});

const callsFor = (cnpj: string, sandbox: App['sandbox']): number =>
  sandbox?.requestsTo('receita_federal').filter((path) => path.includes(cnpj)).length ?? 0;
