import { describe, expect, it } from 'vitest';
import { allSanctionsSources } from '../../src/modules/sanctions/sources/lists.ts';
import { type ListCounts, refusalOf } from '../../src/sources/registry/sync.ts';

const guard = { minRows: 1_000, maxShrink: 0.05, maxGrowth: 0.15 };
const version = (rowsRead: number, named = rowsRead, publishedOn: string | null = null): ListCounts => ({ rowsRead, named, publishedOn });
const judge = (next: ListCounts, previous: ListCounts | null, { isDefaultAddress = false, force = false } = {}) =>
  refusalOf(next, guard, { previous, isDefaultAddress, force });

describe('the guard of list loads', () => {
  it.each([
    ['a first version', version(4), null, null],
    ['no rows', version(0), null, 'empty'],
    ['a loss within the share', version(95), version(100), null],
    ['a loss beyond it', version(94), version(100), 'shrunk'],
    ['a loss of rows that name nobody', version(94, 0), version(100, 0), 'shrunk'],
    ['rows that lost the ids they name', version(100, 60), version(100, 100), 'shrunk'],
    ['a list that names nobody, as before', version(100, 0), version(100, 0), null],
    ['growth of a small list', version(400), version(100), null],
    ['growth of a large list beyond the share', version(1_200), version(1_000), 'grown'],
    ['the same date', version(100, 100, '2026-11-20'), version(100, 100, '2026-11-20'), null],
    ['an earlier date', version(100, 100, '2026-11-19'), version(100, 100, '2026-11-20'), 'older'],
    ['no date after a date', version(100, 100, null), version(100, 100, '2026-11-20'), null],
  ])('DB-06 judges %s', (_, next, previous, refusal) => {
    expect(judge(next, previous)).toBe(refusal);
  });

  it('DB-06 applies the least number of rows to the publisher’s default address only', () => {
    expect(judge(version(999), null, { isDefaultAddress: true })).toBe('too_small');
    expect(judge(version(999), null)).toBeNull();
  });

  it('DB-06 lets an operator force any list but an empty one', () => {
    expect(judge(version(1, 0, '2026-01-01'), version(100, 100, '2026-11-20'), { force: true })).toBeNull();
    expect(judge(version(0), version(100), { force: true })).toBe('empty');
  });

  it.each([
    ['OFAC_NON_SDN', 300, 1_000],
    ['EU_CONSOLIDATED', 4_500, 10_500],
    ['UK_SANCTIONS', 4_000, 9_500],
    ['WORLD_BANK_DEBARRED', 1_000, 3_000],
  ])('DB-06 refuses a first version of %s from its publisher that has other than %d to %d parties', (name, least, greatest) => {
    const spec = allSanctionsSources.find((source) => source.name === name)?.spec;
    const judged = [least - 1, least, greatest, greatest + 1].map(
      (rows) => spec && refusalOf(version(rows), spec.guard, { previous: null, isDefaultAddress: true, force: false }),
    );
    expect(judged).toEqual(['too_small', null, null, 'too_large']);
  });
});
