import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { limitName, type SharedLimits } from '../../src/cache/shared-limits.ts';
import { createHttpClient, type HttpClient } from '../../src/sources/http/client.ts';
import { CIRCUIT_RULES } from '../../src/sources/http/policy.ts';
import { memoryLog } from '../support/log.ts';
import { needsRedis, redisOfTest } from '../support/redis.ts';
import { connected, limitsOn } from '../support/shared-limits.ts';
import { type Reply, upstream } from '../support/upstream.ts';

const unavailable = { code: 'SOURCE_UNAVAILABLE' };

/** The client of one process. */
function clientOf(limits: SharedLimits, halfOpenAfterMs: number): HttpClient {
  const circuit = limits.circuit(limitName('circuit', 'registry'), { ...CIRCUIT_RULES, halfOpenAfterMs });
  const http = createHttpClient({
    source: 'receita_federal',
    concurrency: 16,
    circuit,
    now: Date.now,
    random: () => 0,
    log: memoryLog().log,
  });
  onTestFinished(() => http.close());
  return http;
}

/** Three processes that call one upstream. Its `reply` may change. An open circuit allows a test call after `halfOpenAfterMs`. */
async function processes(halfOpenAfterMs = CIRCUIT_RULES.halfOpenAfterMs, answerMs?: number) {
  const server = await redisOfTest();
  const all = Array.from({ length: 3 }, () => limitsOn(server, answerMs).limits);
  await connected(all);
  const state = { reply: { status: 404, body: '' } as Reply };
  const source = await upstream(() => state.reply);
  const clients = all.map((limits) => clientOf(limits, halfOpenAfterMs));
  /** A call that answers other statuses than 200 with a failure that is not retried. */
  const call = (nth: number) =>
    clients[nth % 3]!.get(new URL(source.url), {
      deadlineMs: 5_000,
      read: ({ status }) => {
        if (status !== 200) throw new Error('an unexpected answer');
        return status;
      },
    });
  const callEach = async (count: number) => {
    for (let i = 0; i < count; i += 1) await call(i).catch(() => undefined);
  };
  return { server, all, source, state, clients, call, callEach };
}

describe('UP-07 the circuit of a source over three processes', needsRedis, () => {
  it('opens for all after 10 failures in a row of all, and closes for all after one test call', async () => {
    const { source, state, clients, call, callEach } = await processes(3_000);
    await callEach(20);
    expect(source.asked).toHaveLength(10);
    expect(clients.map((http) => http.health())).toEqual(Array(3).fill(expect.objectContaining({ circuit: 'open' })));
    state.reply = { body: 'well' };
    await expect.poll(() => call(1).catch(() => null), { timeout: 10_000 }).toBe(200);
    expect(source.asked).toHaveLength(11);
    expect([await call(0), await call(2)]).toEqual([200, 200]);
    expect(clients.map((http) => http.health().circuit)).toEqual(Array(3).fill('closed'));
  });

  it('is shown some seconds later by a process that does not call', async () => {
    const { clients, call } = await processes();
    for (let i = 0; i < 10; i += 1) await call(i % 2).catch(() => undefined);
    await expect.poll(() => clients[2]!.health().circuit, { timeout: 10_000 }).not.toBe('closed');
  });

  it('gets one test call in each interval while it is open', async () => {
    const { source, call } = await processes(500);
    const startedAt = performance.now();
    let calls = 0;
    while (performance.now() - startedAt < 3_000) {
      await Promise.allSettled([call(0), call(1), call(2)]);
      calls += 3;
      await sleep(20);
    }
    const intervals = Math.floor((performance.now() - startedAt) / 500);
    // Calls that began before the circuit opened are in progress when it does.
    expect(source.asked.length).toBeLessThanOrEqual(10 + 2 + intervals);
    expect(source.asked.length).toBeGreaterThan(12);
    expect(calls).toBeGreaterThan(source.asked.length);
  });

  it('opens at half of 20 calls that failed, counted over all', async () => {
    const { source, state, callEach } = await processes();
    const replies: Reply[] = [{ body: 'well' }, { status: 404, body: '' }];
    for (let i = 0; i < 40; i += 1) {
      state.reply = replies[i % 2]!;
      await callEach(1);
    }
    expect(source.asked).toHaveLength(20);
  });

  it('leaves a source alone in all processes for the time that its answer to one states', async () => {
    const { source, state, call } = await processes();
    state.reply = { status: 429, headers: { 'retry-after': '60' }, body: '' };
    await expect(call(0)).rejects.toMatchObject(unavailable);
    for (const nth of [0, 1, 2]) await expect(call(nth)).rejects.toMatchObject({ ...unavailable, facts: { retryAfterSeconds: 60 } });
    expect(source.asked).toHaveLength(1);
  });

  it('is that of each process while Redis is away: one that was open stays so, others count anew', async () => {
    const halfOpenAfterMs = 2_000;
    const { server, all, source, clients, callEach } = await processes(halfOpenAfterMs);
    await callEach(12);
    expect(source.asked).toHaveLength(10);
    await server.kill();
    await callEach(6);
    expect(source.asked).toHaveLength(10);
    await sleep(halfOpenAfterMs + 200);
    await callEach(60);
    expect(source.asked.length - 10).toBeLessThanOrEqual(3 * 10);
    expect(clients.every((http) => http.health().circuit === 'open')).toBe(true);
    await server.start();
    await connected(all);
    await callEach(30);
    expect(source.asked.length).toBeLessThanOrEqual(10 + 3 * 10 + 10);
  });

  it('calls the source as before when Redis hangs', async () => {
    const { server, state, call } = await processes(CIRCUIT_RULES.halfOpenAfterMs, 15);
    state.reply = { body: 'well' };
    server.freeze();
    expect(await Promise.all([call(0), call(1), call(2)])).toEqual([200, 200, 200]);
    server.thaw();
  }, 20_000);
});
