import { describe, expect, it } from 'vitest';
import type { Answer, Freshness } from '../../../src/domain/answer.ts';
import { sourceUnavailable } from '../../../src/domain/errors.ts';
import { BasisCollector } from '../../../src/loaders/derived-cache.ts';
import type { Load } from '../../../src/loaders/loader.ts';
import { taxHealthLoader } from '../../../src/modules/tax-health/loader.ts';

const key = { country: 'CL', taxId: '767955618' } as const;
const time = new BasisCollector(() => Date.parse('2026-11-21T12:00:00Z'));
const registry: Freshness = { fetchedAt: 2_000, dataAsOf: '2026-11-10', cached: false, stale: false, expiresAt: 9_000 };
const list: Freshness = { fetchedAt: 1_000, dataAsOf: '2026-10-01', cached: true, stale: true, expiresAt: 8_000 };

/** A registry without the company, and a list of debtors with the given result. */
const loads =
  (debtors: () => Promise<Answer<unknown>>): Load =>
  (loader) =>
    (loader.name === 'TAX_DEBTORS_CL'
      ? debtors()
      : Promise.resolve({ value: { source: 'sii', record: null }, freshness: registry })) as never;

describe('tax health', () => {
  it('is as old as the older of registry and list, and dated by the registry', async () => {
    const { value, freshness } = await taxHealthLoader.answer(
      key,
      loads(async () => ({ value: { entries: [] }, freshness: list })),
      time,
    );
    expect(freshness).toEqual({ fetchedAt: 1_000, dataAsOf: '2026-11-10', cached: true, stale: true, expiresAt: 8_000 });
    expect(value).toMatchObject({ status: 'not_found', taxDebtor: null, debtorsChecked: true, debtorsAsOf: '2026-10-01' });
  });

  it('is as old as the registry when no list was read', async () => {
    const unseen = () => Promise.reject(sourceUnavailable('TAX_DEBTORS_CL', 'the list has no address'));
    const { value, freshness } = await taxHealthLoader.answer(key, loads(unseen), time);
    expect(freshness).toEqual(registry);
    expect(value).toMatchObject({ taxDebtor: null, debtorsChecked: false, debtorsAsOf: null });
  });

  it('does not treat a defect of the service as an unavailable list', async () => {
    const fault = new TypeError('x is not a function');
    await expect(
      taxHealthLoader.answer(
        key,
        loads(() => Promise.reject(fault)),
        time,
      ),
    ).rejects.toBe(fault);
  });
});
