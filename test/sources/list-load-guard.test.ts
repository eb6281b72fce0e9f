import { describe, expect, it } from 'vitest';
import { type ListCounts, refusalOf } from '../../src/sources/registry/sync.ts';

const guard = { minRows: 1_000, maxShrink: 0.05, maxGrowth: 0.15 };
const edition = (rowsRead: number, named = rowsRead, publishedOn: string | null = null): ListCounts => ({ rowsRead, named, publishedOn });
const judge = (next: ListCounts, previous: ListCounts | null, { isDefaultAddress = false, force = false } = {}) =>
  refusalOf(next, guard, { previous, isDefaultAddress, force });

describe('the guard of list loads', () => {
  it.each([
    ['a first edition', edition(4), null, null],
    ['no rows', edition(0), null, 'empty'],
    ['a loss within the share', edition(95), edition(100), null],
    ['a loss beyond it', edition(94), edition(100), 'shrunk'],
    ['rows that lost the ids they name', edition(100, 60), edition(100, 100), 'shrunk'],
    ['a list that names nobody, as before', edition(100, 0), edition(100, 0), null],
    ['growth of a small list', edition(400), edition(100), null],
    ['growth of a large list beyond the share', edition(1_200), edition(1_000), 'grown'],
    ['the same date', edition(100, 100, '2026-11-20'), edition(100, 100, '2026-11-20'), null],
    ['an earlier date', edition(100, 100, '2026-11-19'), edition(100, 100, '2026-11-20'), 'older'],
    ['no date after a date', edition(100, 100, null), edition(100, 100, '2026-11-20'), null],
  ])('DB-06 judges %s', (_, next, previous, refusal) => {
    expect(judge(next, previous)).toBe(refusal);
  });

  it('DB-06 applies the least number of rows to the publisher’s default address only', () => {
    expect(judge(edition(999), null, { isDefaultAddress: true })).toBe('too_small');
    expect(judge(edition(999), null)).toBeNull();
  });

  it('DB-06 lets an operator force any list but an empty one', () => {
    expect(judge(edition(1, 0, '2026-01-01'), edition(100, 100, '2026-11-20'), { force: true })).toBeNull();
    expect(judge(edition(0), edition(100), { force: true })).toBe('empty');
  });
});
