import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AppError, sourceUnavailable } from '../../../src/domain/errors.ts';
import { BasisCollector } from '../../../src/loaders/derived-cache.ts';
import type { Load } from '../../../src/loaders/loader.ts';
import { complianceBrLoader } from '../../../src/modules/compliance-br/loader.ts';

const key = { country: 'BR', taxId: '11222333000181' } as const;
const time = new BasisCollector(() => 1_000);
/** A `load` with given results by loader name; every other loader fails with an unavailable source. */
const loads =
  (endings: Readonly<Record<string, () => Promise<never>>>): Load =>
  (loader) =>
    endings[loader.name]?.() ?? Promise.reject(sourceUnavailable(loader.name, 'down'));

describe('the consolidated check', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.restoreAllMocks(); // first: it puts back the timers that were there when they were spied on
    vi.useRealTimers();
  });

  it('UP-01 counts a check that does not settle as failed, in time to answer within ten seconds', async () => {
    const set = vi.spyOn(globalThis, 'setTimeout');
    const cleared = vi.spyOn(globalThis, 'clearTimeout');
    const answer = complianceBrLoader.answer(key, loads({ kyb: () => new Promise(() => undefined) }), time);
    // Of this loader alone: other test files share the process, and what they left behind may set timers later.
    const timers = set.mock.results.map(({ value }) => value);
    await vi.advanceTimersByTimeAsync(9_500);
    const { value } = await answer;
    expect([value.sourcesFailed, value.completeness]).toEqual([['kyb', 'sanctions', 'debarment', 'labor', 'owners'], 'insufficient']);
    expect(timers).toHaveLength(1);
    expect(cleared).toHaveBeenCalledWith(timers[0]);
  });

  it('is dated now when no check answered', async () => {
    const { freshness } = await complianceBrLoader.answer(key, loads({}), time);
    expect(freshness).toEqual({ fetchedAt: 1_000, dataAsOf: null, cached: false, stale: false, expiresAt: null });
  });

  it('does not treat a defect of the service as a failed source', async () => {
    const fault = new TypeError('x is not a function');
    await expect(complianceBrLoader.answer(key, loads({ labor: () => Promise.reject(fault) }), time)).rejects.toBe(fault);
  });

  it('serves Brazilian companies only', () => {
    expect(() => complianceBrLoader.answer({ country: 'CL', taxId: '763718646' }, loads({}), time)).toThrow(AppError);
  });
});
