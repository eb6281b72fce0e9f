import type { RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../../src/domain/time.ts';
import { retryDelayMs } from '../../../../src/webhooks/domain/delivery.ts';
import { type Receiver, receiver, setup, taxIdOf } from './support.ts';

const SCHEDULE = [5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, ...[2, 5, 10, 14, 20, 24].map((h) => h * HOUR_MS)];

/** Creates a monitor with retries. Its receiver answers the nth request with the nth status and repeats the last. The test controls the clock. */
async function retrying(statuses: readonly number[], headers: Record<string, string> = {}) {
  const clock = { time: Date.now() };
  const world = await setup({ now: () => clock.time, random: Math.random });
  let requests = 0;
  const answer: RequestListener = (_, response) => {
    response.writeHead(statuses[Math.min(requests, statuses.length - 1)] ?? 500, headers).end();
    requests += 1;
  };
  const target = await receiver(answer);
  await world.monitor(target.url, { retryPolicy: 'standard' });
  await world.change([taxIdOf(1)]);
  await world.drain();
  const delivery = () => world.db('deliveries').first('state', 'attempts', 'due_at');
  /** Moves the clock to the next attempt and runs it. Returns the wait in ms; null when no attempt is due. */
  async function next(): Promise<number | null> {
    const { due_at } = await delivery();
    if (due_at === null) return null;
    const waited = due_at.getTime() - clock.time;
    clock.time = due_at.getTime() - 1;
    const before = target.received.length;
    await world.drain();
    expect(target.received.length).toBe(before);
    clock.time += 1;
    await world.drain();
    return waited;
  }
  async function all(): Promise<readonly number[]> {
    const waits: number[] = [];
    for (let wait = await next(); wait !== null; wait = await next()) waits.push(wait);
    return waits;
  }
  return { ...world, target, delivery, next, all };
}

const idsOf = ({ received }: Receiver) => new Set(received.map(({ headers }) => headers['webhook-id']));

describe('WH-12 a delivery with retries', () => {
  it('is tried ten times, each wait within 20 % of the schedule, with the same id and a new timestamp', async () => {
    const { target, delivery, all } = await retrying([500]);
    const waits = await all();
    expect(waits).toHaveLength(9);
    for (const [i, wait] of waits.entries()) {
      expect(wait).toBeGreaterThanOrEqual((SCHEDULE[i] ?? 0) * 0.8);
      expect(wait).toBeLessThanOrEqual((SCHEDULE[i] ?? 0) * 1.2);
    }
    expect(target.received).toHaveLength(10);
    expect(idsOf(target).size).toBe(1);
    expect(new Set(target.received.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(10);
    expect(new Set(target.received.map(({ body }) => body)).size).toBe(1);
    expect(await delivery()).toMatchObject({ state: 'failed', attempts: 10, due_at: null });
  });

  it.each<[readonly number[], string]>([
    [[200], 'delivered'],
    [[500, 503, 204], 'delivered'],
    [[410], 'failed'],
    [[500, 410], 'failed'],
  ])('ends after the last status of %j as %s', async (statuses, state) => {
    const { target, delivery, all } = await retrying(statuses);
    expect(await all()).toHaveLength(statuses.length - 1);
    expect([target.received.length, (await delivery()).state]).toEqual([statuses.length, state]);
  });

  it('waits for the Retry-After of the receiver, up to twice the schedule', async () => {
    const { next } = await retrying([429], { 'retry-after': '8' });
    expect(await next()).toBe(8 * SECOND_MS);
    expect(await next()).toBeGreaterThanOrEqual(4 * MINUTE_MS);
    const greedy = await retrying([503], { 'retry-after': '86400' });
    expect([await greedy.next(), await greedy.next()]).toEqual([10 * SECOND_MS, 10 * MINUTE_MS]);
  });

  it('queues a job for the time of the retry', async () => {
    const { db, delivery } = await retrying([500]);
    const { due_at } = await delivery();
    const { rows } = await db.raw(`SELECT run_at FROM graphile_worker.jobs WHERE task_identifier = 'monitor.deliver' AND key IS NULL`);
    expect(rows.map(({ run_at }: { run_at: Date }) => run_at)).toEqual([due_at]);
  });

  it('is tried once when its monitor has no retry policy', async () => {
    const { db, monitor, change, drain } = await setup();
    const { url, received } = await receiver((_, response) => void response.writeHead(500).end());
    await monitor(url);
    await change([taxIdOf(1)]);
    await drain();
    expect(received).toHaveLength(1);
    expect(await db('deliveries').first()).toMatchObject({ state: 'failed', attempts: 1, due_at: null });
  });
});

describe('WH-12 the wait before a retry', () => {
  it.each([
    [1, 0, null, 4 * SECOND_MS],
    [1, 1, null, 6 * SECOND_MS],
    [1, 0.5, 1, 5 * SECOND_MS],
    [1, 1, 5_500, 6 * SECOND_MS],
    [9, 0.5, null, 24 * HOUR_MS],
    [10, 0.5, null, null],
  ])('after attempt %d with random value %d and Retry-After %s is %s ms', (attempts, random, retryAfterMs, wait) => {
    expect(retryDelayMs({ attempts, status: 500, retryAfterMs }, random)).toBe(wait);
  });
});
