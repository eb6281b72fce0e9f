import { expect, it } from 'vitest';
import { ObjectSlot } from '../../src/domain/object-slot.ts';

it('a slot of an object keeps its last value, which copies and JSON of the object do not have', () => {
  const slot = new ObjectSlot<number>('number');
  const object = { a: 1 };
  expect([slot.get(object), slot.get(null), slot.get(undefined)]).toEqual([undefined, undefined, undefined]);
  slot.set(object, 5);
  slot.set(object, 6);
  expect([slot.get(object), slot.get({ ...object }), new ObjectSlot('number').get(object)]).toEqual([6, undefined, undefined]);
  expect(JSON.stringify(object)).toBe('{"a":1}');
});
