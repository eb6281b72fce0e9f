import { describe, expect, it, vi } from 'vitest';
import { AppError, sourceUnavailable } from '../../../src/domain/errors.ts';
import { BasisCollector } from '../../../src/loaders/derived-cache.ts';
import type { Load } from '../../../src/loaders/loader.ts';
import { complianceBrLoaderOf } from '../../../src/modules/compliance/loader.ts';
import { withOwnTimers } from '../../support/own-timers.ts';

const key = { country: 'BR', taxId: '11222333000181' } as const;
const time = new BasisCollector(() => 1_000);
/** A `load` with given results by loader name; every other loader fails with an unavailable source. */
const loads =
  (endings: Readonly<Record<string, () => Promise<never>>>): Load =>
  (loader) =>
    endings[loader.name]?.() ?? Promise.reject(sourceUnavailable('receita_federal', `${loader.name} is down`));

describe('the consolidated check', () => {
  it('UP-01 counts a check that does not settle as failed, in time to answer within ten seconds', async () => {
    const hanging = loads({ kyb: () => new Promise(() => undefined) });
    const { result, timers, cleared } = withOwnTimers(() => complianceBrLoaderOf([]).answer(key, hanging, time));
    await vi.advanceTimersByTimeAsync(9_500);
    const { value } = await result;
    expect([value.sourcesFailed, value.completeness]).toEqual([['kyb', 'sanctions', 'debarment', 'labor', 'owners'], 'insufficient']);
    expect(timers).toHaveLength(1);
    expect(cleared).toHaveBeenCalledWith(timers[0]);
  });

  it('is dated now when no check answered', async () => {
    const { freshness } = await complianceBrLoaderOf([]).answer(key, loads({}), time);
    expect(freshness).toEqual({ fetchedAt: 1_000, dataAsOf: null, cached: false, stale: false, expiresAt: null });
  });

  it('does not treat a defect of the service as a failed source', async () => {
    const fault = new TypeError('x is not a function');
    await expect(complianceBrLoaderOf([]).answer(key, loads({ labor: () => Promise.reject(fault) }), time)).rejects.toBe(fault);
  });

  it('serves Brazilian companies only', () => {
    expect(() => complianceBrLoaderOf([]).answer({ country: 'CL', taxId: '763718646' }, loads({}), time)).toThrow(AppError);
  });
});
