import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { companies } from '../../sandbox/world/brazil/world.ts';
import { createDb } from '../../src/db/knex.ts';
import { monthOf } from '../../src/domain/time.ts';
import { wrongCounters } from '../../src/metering/store/usage-counters.ts';
import { OWN } from '../support/own-numbers.ts';
import { type OwnPostgres, ownPostgres } from '../support/own-postgres.ts';
import { rounds } from '../support/rounds.ts';
import { paced, startService } from './load/service.ts';

const PERCENT = OWN['DB-10'].percent;
/** The cached keys expire meanwhile in a run with few rounds, too. */
const AWAY_MS = Math.max(6_000, rounds(OWN['DB-10'].seconds * 1_000));
const PER_SECOND = 100;
/** Time after which the process has drained its journal. */
const DRAIN_MS = 2_500;
const cnpjs = companies.slice(0, 20).map(({ cnpj }) => cnpj);

const PLAN = { compliance_br: { rate: null }, kyb: { rate: null }, graphql: { perMinute: 100_000_000, burst: 100_000_000 } };

interface Trouble {
  readonly name: string;
  takeAway(postgres: OwnPostgres): Promise<void>;
  giveBack(postgres: OwnPostgres): Promise<void>;
}

const TROUBLES: readonly Trouble[] = [
  { name: 'suspended (SIGSTOP)', takeAway: ({ suspend }) => suspend(), giveBack: ({ resume }) => resume() },
  { name: 'killed (SIGKILL)', takeAway: ({ kill }) => kill(), giveBack: ({ restart }) => restart() },
];

it.each(TROUBLES)(
  `DB-10 while Postgres is $name for ${AWAY_MS / 1_000} s, at least ${PERCENT} % of the checks that are in memory are answered with 200, and each is counted once`,
  async ({ takeAway, giveBack }) => {
    const postgres = await ownPostgres();
    const knex = createDb(postgres.url);
    onTestFinished(() => knex.destroy());
    const env = { QUIPU_PLANS: JSON.stringify({ standard: PLAN }) };
    const { processes, newKey } = await startService({ database: { url: postgres.url, knex }, env });
    const [{ url, child } = { url: '', child: null }] = processes;
    const { id: keyId, key } = await newKey();

    const post = async (path: string, body: object) => {
      const headers = { 'x-api-key': key, 'content-type': 'application/json' };
      const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
      const { errors } = (await answer.json()) as { errors?: readonly { extensions: { code: string } }[] };
      const counted = [...(answer.headers.get('usage-counted') ?? '').matchAll(/=(\d+)/g)].reduce((sum, [, n]) => sum + Number(n), 0);
      return { counted, outcome: errors?.[0]?.extensions.code ?? answer.status };
    };
    const ask = (nth: number) => {
      const cnpj = cnpjs[nth % cnpjs.length];
      if (nth % 3 === 0) return post('/v1/compliance-br', { cnpj });
      if (nth % 3 === 1) return post('/v1/kyb', { identifier: cnpj, country: 'BR' });
      return post('/graphql', { query: `{ company(identifier: "${cnpj}") { kyb { companyName } compliance { riskLevel } } }` });
    };
    const all = cnpjs.length * 3;
    for (let nth = 0; nth < all; nth += 1) await expect.poll(async () => (await ask(nth)).outcome, { timeout: 30_000 }).toBe(200);
    await sleep(DRAIN_MS);
    const counted = async () => Number((await knex('usage_counters').where({ key_id: keyId }).sum({ used: 'used' }).first())?.used);
    const before = await counted();
    expect(before).toBeGreaterThanOrEqual(all);

    let isOver = false;
    const trouble = takeAway(postgres)
      .then(() => sleep(AWAY_MS))
      .finally(() => {
        isOver = true;
      });
    let nth = 0;
    const answers = await paced(
      PER_SECOND,
      () => isOver,
      () => ask(nth++),
    );
    await trouble;
    await giveBack(postgres);

    const answered = answers.filter(({ outcome }) => outcome === 200);
    const others = Object.groupBy(answers, ({ outcome }) => String(outcome));
    console.log(`${answers.length} requests:`, Object.fromEntries(Object.entries(others).map(([code, some]) => [code, some?.length])));
    expect(answers.length).toBeGreaterThan((AWAY_MS / 1_000) * PER_SECOND * 0.5);
    expect(answered.length / answers.length).toBeGreaterThanOrEqual(PERCENT / 100);
    expect(child?.exitCode).toBeNull();
    const expected = before + answered.reduce((sum, one) => sum + one.counted, 0);
    await expect.poll(() => counted().catch(() => null), { timeout: 30_000, interval: 500 }).toBe(expected);
    await sleep(DRAIN_MS);
    expect(await counted()).toBe(expected);
    await expect.poll(() => wrongCounters(knex, [monthOf(Date.now())]), { timeout: 10_000 }).toEqual([]);
    await expect
      .poll(async () => (await (await fetch(`${url}/readyz`)).json()) as object, { timeout: 20_000 })
      .toMatchObject({ status: 'ready' });
  },
  120_000,
);
