import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Found } from '../../src/domain/answer.ts';
import { callEach } from '../../src/loaders/loader.ts';

const keys = Array.from({ length: 17 }, (_, i) => i);
const fact: Found<string> = { value: 'known', dataAsOf: null };

describe('a batch of single calls', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Runs a batch whose calls take `ms` each; returns their results and the most concurrent calls. */
  async function run(ms: number) {
    let open = 0;
    let most = 0;
    const calls = callEach('receita_federal', keys, async () => {
      open += 1;
      most = Math.max(most, open);
      await new Promise((resolve) => setTimeout(resolve, ms));
      open -= 1;
      return fact;
    });
    const settled = Promise.allSettled(calls);
    await vi.advanceTimersByTimeAsync(3 * ms);
    return { most, ends: (await settled).map(({ status }) => status), last: calls.at(-1) };
  }

  it('runs sixteen concurrently and answers all', async () => {
    const { most, ends } = await run(1_000);
    expect(most).toBe(16);
    expect(new Set(ends)).toEqual(new Set(['fulfilled']));
  });

  it('fails only the calls that have no time left because the source is slow', async () => {
    const { ends, last } = await run(10_000);
    expect(ends.filter((end) => end === 'rejected')).toHaveLength(1);
    await expect(last).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE', facts: { source: 'receita_federal' } });
  });
});
