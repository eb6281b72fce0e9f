import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../src/sandbox/world/brazil/world.ts';
import { type TestDb, testDb } from '../support/db.ts';
import { dataFolder, run } from '../support/process.ts';
import { hasRedis, type TestRedis, testRedis } from '../support/redis.ts';

/** Two processes of the service share a database and a Redis; twenty clients send requests without pauses. */

const KEY = 'sk_an_operator_of_two_processes';
const CLIENTS = 20;
const RATE = { perMinute: 6_000, burst: 100 };
const SECONDS = 10;
const BODY = JSON.stringify({ cnpj: companyByScenario('clean').cnpj });

let db: TestDb;
let redis: TestRedis;
beforeAll(async () => {
  db = await testDb();
  redis = await testRedis();
});
afterAll(async () => {
  await redis?.close();
  await db.close();
});

describe.skipIf(!hasRedis)('a limit over two processes', () => {
  it('MT-08 admits its rate and burst within 1 %, and each admitted request is counted', async () => {
    const urls = await Promise.all([start(), start()]);
    const check = async (url: string) => {
      const headers = { 'x-api-key': KEY, 'content-type': 'application/json' };
      const answer = await fetch(`${url}/v1/compliance-br`, { method: 'POST', headers, body: BODY });
      await answer.text();
      return answer.status;
    };
    for (const url of urls) expect(await check(url)).toBe(200);
    await sleep(1_000 + (RATE.burst / RATE.perMinute) * 60_000); // the bucket is full again

    const statuses: number[] = [];
    const startedAt = performance.now();
    const over = () => performance.now() - startedAt > SECONDS * 1_000;
    await Promise.all(
      Array.from({ length: CLIENTS }, async (_, n) => {
        while (!over()) statuses.push(await check(urls[n % 2] ?? ''));
      }),
    );
    const elapsed = performance.now() - startedAt;
    const admitted = statuses.filter((status) => status === 200).length;
    const said = RATE.burst + (RATE.perMinute / 60_000) * elapsed;
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    expect(Math.abs(admitted / said - 1)).toBeLessThan(0.01);

    const [counter] = await db.knex('usage_counters').where({ module: 'compliance_br' });
    const [events] = await db.knex('usage_events').where({ module: 'compliance_br' }).count({ rows: '*' });
    expect([Number(counter?.used), Number(events?.rows)]).toEqual([admitted + urls.length, admitted + urls.length]);
  });
});

/** Starts a process of the service and returns its address. */
async function start(): Promise<string> {
  const env = {
    DATABASE_URL: db.url,
    REDIS_URL: redis.url,
    PORT: '0',
    QUIPU_DATA_DIR: await dataFolder(),
    QUIPU_BOOTSTRAP_KEY: KEY,
    QUIPU_PLANS: JSON.stringify({ standard: { compliance_br: { rate: RATE } } }),
    LOG_LEVEL: 'silent',
  };
  const [, url = ''] = await run('src/main.ts', [], env).printed(/answers at (\S+)/);
  return url;
}
