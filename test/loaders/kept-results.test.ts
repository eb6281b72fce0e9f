import { describe, expect, it } from 'vitest';
import { keepByParts, ObjectSlot } from '../../src/cache/kept-results.ts';

describe('a result that is kept with the object it is computed from', () => {
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
