import { describe, expect, it } from 'vitest';
import { type Answer, derived, inMemory, keepByParts, whenKnown } from '../../src/domain/answer.ts';

const answer = (value: number): Answer<number> => ({
  value,
  freshness: { fetchedAt: 0, dataAsOf: null, cached: true, stale: false, expiresAt: null },
});

describe('what is computed from answers', () => {
  it('is the same object for the same answer and parameter, and a new one for any other', () => {
    const times = derived((value: number, factor: number) => value * factor);
    const two = answer(2);
    const six = times(two, 3);
    expect(six).toEqual({ value: 6, freshness: two.freshness });
    expect(times(two, 3)).toBe(six);
    expect(times(two, 4).value).toBe(8);
    expect(times(answer(2), 3)).not.toBe(six);
  });

  it('is computed again when any part differs, or has no first part', () => {
    let computed = 0;
    const count = keepByParts((...[_first, _others]: readonly [object | null, string]) => {
      computed += 1;
      return computed;
    });
    const first = {};
    expect([count(first, 'a'), count(first, 'a'), count(first, 'b'), count(null, 'a'), count(null, 'a')]).toEqual([1, 1, 2, 3, 4]);
  });

  it('is computed at once where all parts are in memory, and after the promise otherwise', async () => {
    expect(whenKnown(2, (value) => value + 1)).toBe(3);
    await expect(whenKnown(Promise.resolve(2), (value) => value + 1)).resolves.toBe(3);
    expect(inMemory([1, 2])).toEqual([1, 2]);
    expect(inMemory([1, Promise.resolve(2)])).toBeNull();
  });
});
