import { describe, expect, it } from 'vitest';
import { type Answer, derived, inMemory, keepByParts, ObjectSlot, whenKnown } from '../../src/domain/answer.ts';

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

  it('is computed once for each combination of parts, and again where there is no first part', () => {
    let computed = 0;
    const count = keepByParts((...[_first, _others]: readonly [object | null, string]) => {
      computed += 1;
      return computed;
    });
    const first = {};
    expect(['a', 'b', 'a', 'b'].map((other) => count(first, other))).toEqual([1, 2, 1, 2]);
    expect([count({}, 'a'), count(null, 'a'), count(null, 'a')]).toEqual([3, 4, 5]);
  });

  it('is kept for the last 64 combinations with one first part', () => {
    const asked: number[] = [];
    const keep = keepByParts((...[_first, other]: readonly [object, number]) => asked.push(other));
    const first = {};
    for (let other = 0; other < 65; other += 1) keep(first, other);
    keep(first, 64);
    keep(first, 0);
    expect(asked.slice(63)).toEqual([63, 64, 0]);
  });

  it('is computed at once where all parts are in memory, and after the promise otherwise', async () => {
    expect(whenKnown(2, (value) => value + 1)).toBe(3);
    await expect(whenKnown(Promise.resolve(2), (value) => value + 1)).resolves.toBe(3);
    expect(inMemory([1, 2])).toEqual([1, 2]);
    expect(inMemory([1, Promise.resolve(2)])).toBeNull();
  });
});

it('a slot of an object keeps its last value, which copies and JSON of the object do not have', () => {
  const slot = new ObjectSlot<number>('number');
  const object = { a: 1 };
  expect([slot.get(object), slot.get(null), slot.get(undefined)]).toEqual([undefined, undefined, undefined]);
  slot.set(object, 5);
  slot.set(object, 6);
  expect([slot.get(object), slot.get({ ...object }), new ObjectSlot('number').get(object)]).toEqual([6, undefined, undefined]);
  expect(JSON.stringify(object)).toBe('{"a":1}');
});
