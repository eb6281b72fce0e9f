import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DAY_MS, isoDate } from '../../src/domain/time.ts';
import { needsRedis, redisOfTest, type TestRedis } from '../support/redis.ts';
import { upstream } from '../support/upstream.ts';
import { startService } from './load/service.ts';

/** Three processes of the service send their requests with one ticket to an API that refuses two at a time. */

const PROCESSES = 3;
const QUOTA = 60;
const PAUSE_MS = 40;
const ANSWER_MS = 15;

async function setup(redis: TestRedis) {
  const requests: { readonly from: number; to: number }[] = [];
  const api = await upstream(() => (_, response) => {
    const request = { from: performance.now(), to: Number.POSITIVE_INFINITY };
    requests.push(request);
    setTimeout(() => {
      request.to = performance.now();
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ Cantidad: 0, Listado: [] }));
    }, ANSWER_MS);
  });
  const { processes, newKey } = await startService({
    processes: PROCESSES,
    env: {
      REDIS_URL: redis.url,
      QUIPU_MERCADOPUBLICO_URL: `${api.url}/servicios/v1/publico`,
      QUIPU_MERCADOPUBLICO_PAUSE: `${PAUSE_MS}ms`,
      QUIPU_MERCADOPUBLICO_QUOTA: String(QUOTA),
      LOG_LEVEL: 'warn',
    },
  });
  const { key } = await newKey();
  let days = 0;

  async function search(url: string): Promise<number> {
    days += 1;
    const day = isoDate(Date.now() - days * DAY_MS)
      .split('-')
      .reverse()
      .join('/');
    const answer = await fetch(`${url}/v1/tenders/search`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      body: JSON.stringify({ country: 'CL', date_from: day, date_to: day }),
    }).catch(() => null);
    await answer?.text();
    return answer?.status ?? 0;
  }

  /** Each process searches so many days, which takes a request each. */
  const searchAll = (perProcess: number) =>
    Promise.all(processes.flatMap(({ url }) => Array.from({ length: perProcess }, () => search(url))));
  return { requests, processes, searchAll, isWell: () => processes.every(({ err }) => !/Redis is away/.test(err())) };
}

describe('the ticket of Mercado Público over three processes', needsRedis, () => {
  it('gets exactly the requests of its quota, one at a time and with the pause between them', async () => {
    const redis = await redisOfTest();
    const { requests, searchAll, isWell } = await setup(redis);
    const statuses = await searchAll(QUOTA / 2);
    expect(new Set(statuses)).toEqual(new Set([200, 503]));
    const pauses = requests.slice(1).map(({ from }, i) => from - (requests[i]?.to ?? 0));
    console.info(
      `${requests.length} requests, least pause ${Math.min(...pauses).toFixed(0)} ms; Redis was ${isWell() ? 'well' : 'silent'}`,
    );
    expect(requests.length).toBeLessThanOrEqual(QUOTA);
    // A Redis that gets no time on a busy machine counts as away, and each process keeps to its share.
    if (!isWell()) return;
    expect(requests).toHaveLength(QUOTA);
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(PAUSE_MS - 5);
  });

  it('never gets more than its quota when Redis dies and returns empty, and then a process is killed', async () => {
    const redis = await redisOfTest();
    const { requests, processes, searchAll } = await setup(redis);
    const first = searchAll(5);
    await expect.poll(() => requests.length, { timeout: 10_000 }).toBeGreaterThan(5);
    await redis.kill();
    await first;
    await searchAll(4);
    const alone = requests.length;
    await redis.start();
    const client = new Redis(redis.url);
    onTestFinished(() => client.disconnect());
    const counted = async () => {
      await searchAll(1);
      const [name = ''] = await client.keys('quipu:limits:turns:*');
      const [base, added] = await client.hmget(name, 'base', 'added');
      return Number(base) + Number(added) - requests.length;
    };
    await expect.poll(counted, { timeout: 10_000, interval: 500 }).toBe(0);
    processes[0]?.child.kill('SIGKILL');
    await searchAll(QUOTA / 2);
    console.info(`${alone} requests before Redis returned, ${requests.length} in all`);
    expect(alone).toBeGreaterThan(15);
    expect(requests.length).toBeGreaterThan(alone);
    expect(requests.length).toBeLessThanOrEqual(QUOTA);
  });
});
