import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { AppError } from '../../src/domain/errors.ts';
import { HOUR_MS, SECOND_MS } from '../../src/domain/time.ts';
import { needsRedis } from '../support/redis.ts';
import { connected, FACT } from '../support/shared-cache.ts';

/** An entry is written after its answer was given. */
const WRITTEN_MS = 50;

describe('answers of processes on one Redis', needsRedis, () => {
  it('UP-09 asks the upstream once per key, whichever processes miss it at once', async () => {
    const { state, replicas } = await connected(3);
    state.delayMs = 30;
    const keys = Array.from({ length: 200 }, (_, i) => `company ${i}`);
    const answers = await Promise.all(replicas.flatMap(({ get }) => keys.map((key) => get(key))));
    expect(state.asked.toSorted()).toEqual(keys.toSorted());
    expect(answers.every(({ value }, i) => value.fact === answers[i % keys.length]?.value.fact)).toBe(true);
  });

  it('keeps the time and the date of the fetch', async () => {
    const { state, replicas } = await connected(3);
    const first = await replicas[0].get('a');
    await sleep(WRITTEN_MS);
    state.now += HOUR_MS;
    const found = await replicas[1].get('a');
    expect(first.freshness).toMatchObject({ cached: false, stale: false });
    expect(found).toEqual({ value: first.value, freshness: { ...first.freshness, cached: true } });
    expect(found.freshness.dataAsOf).toBe('2026-01-01');
    expect(state.asked).toEqual(['a']);
  });

  it('serves a stale answer at once, and refreshes it once over all processes', async () => {
    const { state, replicas } = await connected(3);
    await replicas[0].get('a');
    await sleep(WRITTEN_MS);
    state.now += 7 * HOUR_MS;
    state.delayMs = 100;
    const stale = await Promise.all(replicas.map(({ get }) => get('a')));
    expect(stale.map(({ freshness, value }) => [freshness.stale, value.fact])).toEqual([
      [true, 1],
      [true, 1],
      [true, 1],
    ]);
    await expect
      .poll(async () => (await Promise.all(replicas.map(({ get }) => get('a')))).map(({ value }) => value.fact))
      .toEqual([2, 2, 2]);
    expect(state.asked).toEqual(['a', 'a']);
  });

  it('never serves an answer past its maximum age', async () => {
    const { state, replicas } = await connected(3);
    await replicas[0].get('a');
    await sleep(WRITTEN_MS);
    state.now += 24 * HOUR_MS;
    expect((await replicas[1].get('a')).value.fact).toBe(2);
  });

  it('UP-11 shares an absence for its shorter time', async () => {
    const { state, replicas } = await connected(3);
    await replicas[0].get('unknown');
    await sleep(WRITTEN_MS);
    expect((await replicas[1].get('unknown')).value.fact).toBe(1);
    state.now += HOUR_MS;
    expect((await replicas[2].get('unknown')).value.fact).toBe(2);
  });

  it('does not take an answer that was requested before the moment that a check asks for', async () => {
    const { state, replicas } = await connected(3);
    await replicas[0].get('a');
    await sleep(WRITTEN_MS);
    state.now += SECOND_MS;
    const check = await replicas[1].get('a', state.now);
    expect(check.value.fact).toBe(2);
    await sleep(WRITTEN_MS);
    expect((await replicas[2].get('a', state.now)).value.fact).toBe(2);
    expect(state.asked).toHaveLength(2);
  });

  it('does not take an answer from another version of the data', async () => {
    const { state, replicas } = await connected(3);
    state.version = 'first';
    await replicas[0].get('a');
    await sleep(WRITTEN_MS);
    expect((await replicas[1].get('a')).value.fact).toBe(1);
    state.version = 'second';
    expect((await replicas[2].get('a')).value.fact).toBe(2);
  });

  it('does not share an answer during whose fetch the version of the data changed', async () => {
    const { state, replicas } = await connected(3);
    state.version = 'first';
    state.delayMs = 400;
    const pending = replicas[0].get('a');
    await expect.poll(() => state.asked).toEqual(['a']);
    state.version = 'second';
    await pending;
    await sleep(WRITTEN_MS);
    state.delayMs = 0;
    state.version = 'first'; // a rollback
    expect((await replicas[1].get('a')).value.fact).toBe(2);
  });

  it('tells those who wait that the source failed, and keeps no failure for later requests', async () => {
    const { state, replicas } = await connected(3);
    state.up = false;
    state.delayMs = 50;
    const failures = await Promise.all(
      replicas.map(({ get }) =>
        get('a').then(
          () => null,
          (error: AppError) => error,
        ),
      ),
    );
    expect(failures.map((error) => [error?.code, error?.facts])).toEqual(
      Array(3).fill(['SOURCE_UNAVAILABLE', { source: 'receita_federal', retryAfterSeconds: 7 }]),
    );
    expect(state.asked).toEqual(['a']);
    state.up = true;
    expect((await replicas[1].get('a')).value.fact).toBe(2);
  });

  it('fetches the key of a process that died within the time of its lock', async () => {
    const { state, replicas } = await connected(3);
    replicas[0].own.isHung = true;
    void replicas[0].get('a').catch(() => undefined);
    await expect.poll(() => state.asked).toEqual(['a']);
    const startedAt = performance.now();
    const waiting = Promise.all([replicas[1].get('a'), replicas[2].get('a')]);
    await sleep(2_500); // the lock is renewed while the holder lives
    expect(state.asked).toEqual(['a']);
    replicas[0].shared.close();
    const answers = await waiting;
    expect(answers.map(({ value }) => value.fact)).toEqual([2, 2]);
    expect(performance.now() - startedAt).toBeLessThan(2_500 + 4_000);
  });

  it('keeps the answer of the later lock when the holder of an expired one answers last', async () => {
    const { state, replicas, client } = await connected(3);
    state.delayMs = 400;
    const slow = replicas[0].get('a');
    await expect.poll(() => client.keys('quipu:answers:*:lock')).toHaveLength(1);
    state.delayMs = 0;
    await client.unlink(await client.keys('quipu:answers:*:lock')); // as if it had expired
    await replicas[1].get('a');
    expect((await slow).value.fact).toBe(1);
    await sleep(WRITTEN_MS);
    expect((await replicas[2].get('a')).value.fact).toBe(2);
  });

  it.each([
    ['no JSON', 'text'],
    ['JSON of another schema', JSON.stringify({ value: 1 })],
    ['a value of another schema', JSON.stringify({ value: { fact: 'x' }, dataAsOf: null, fetchedAt: 1, requestedAt: 1, receivedAt: 2e12 })],
    ['damaged compressed data', Buffer.from([0x1f, 0x8b, 1, 2, 3])],
  ])('counts an entry with %s as absent, and replaces it', async (_, damaged) => {
    const { state, replicas, client } = await connected(3);
    await replicas[0].get('a');
    await sleep(WRITTEN_MS);
    for (const entry of await client.keys('quipu:answers:*')) await client.hset(entry, 'answer', damaged);
    expect((await replicas[1].get('a')).value.fact).toBe(2);
    await sleep(WRITTEN_MS);
    expect((await replicas[2].get('a')).value.fact).toBe(2);
    expect(state.asked).toHaveLength(2);
  });

  it('shares nothing with a release with another schema, or with a service of another origin', async () => {
    const { state, replicas, replica } = await connected(3);
    const newer = replica('newer', { schema: FACT.extend({ more: z.string().optional() }) });
    const foreign = replica('foreign', { origin: 'sandbox' });
    await replicas[0].get('a');
    await sleep(100);
    expect([(await newer.get('a')).value.by, (await foreign.get('a')).value.by, (await replicas[1].get('a')).value.by]).toEqual([
      'newer',
      'foreign',
      'replica 0',
    ]);
    expect(state.asked).toHaveLength(3);
  });

  it('compresses large answers, and does not share those that stay too large', async () => {
    const { state, replicas, client } = await connected(3);
    state.text = 'many words '.repeat(10_000);
    await replicas[0].get('large');
    await sleep(100);
    expect((await replicas[1].get('large')).value.text).toBe(state.text);
    const sizes = await Promise.all((await client.keys('quipu:answers:*')).map((entry) => client.hstrlen(entry, 'answer')));
    expect(Math.max(...sizes)).toBeLessThan(5_000);
    state.text = Array.from({ length: 500_000 }, () => String.fromCharCode(32 + Math.floor(Math.random() * 90))).join('');
    expect((await replicas[0].get('too large')).value.by).toBe('replica 0');
    await sleep(100);
    expect((await replicas[1].get('too large')).value.by).toBe('replica 1');
  });
});
