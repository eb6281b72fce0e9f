import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../src/sources/registry/sync.ts';

const GUARD = { minRows: 10, maxRows: 30, minNamed: 4, maxNamed: 8, maxShrink: 0.1, maxGrowth: 0.5 };
const given = { previous: null, isDefaultAddress: true, force: false };
const list = (rowsRead: number, named: number) => ({ publishedOn: null, rowsRead, named });

describe('the first version of a list from its publisher', () => {
  it.each([
    [10, 4, null],
    [30, 8, null],
    [9, 4, 'too_small'],
    [31, 8, 'too_large'],
    [20, 3, 'too_small'],
    [20, 9, 'too_large'],
  ])('with %i rows that name %i companies: %s', (rows, named, refusal) => {
    expect(refusalOf(list(rows, named), GUARD, given)).toBe(refusal);
  });

  it('has no bounds at another address, or if an operator has approved it', () => {
    expect(refusalOf(list(20, 9), GUARD, { ...given, isDefaultAddress: false })).toBeNull();
    expect(refusalOf(list(20, 3), GUARD, { ...given, force: true })).toBeNull();
  });
});

describe('a later version of a list', () => {
  it.each([
    [999, 5_000, null],
    [1_000, 1_500, null],
    [1_000, 1_501, 'grown'],
  ])('may grow freely only if the version before had fewer than 1,000 rows: from %i to %i rows, %s', (before, after, refusal) => {
    expect(refusalOf(list(after, 5), GUARD, { ...given, previous: list(before, 5), isDefaultAddress: false })).toBe(refusal);
  });
});
