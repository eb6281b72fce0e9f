import { expect, it } from 'vitest';
import { inMemory, whenKnown } from '../../src/domain/answer.ts';

it('a value in memory is read at once, and a promised one after its promise', async () => {
  expect(whenKnown(2, (value) => value + 1)).toBe(3);
  await expect(whenKnown(Promise.resolve(2), (value) => value + 1)).resolves.toBe(3);
  expect(inMemory([1, 2])).toEqual([1, 2]);
  expect(inMemory([1, Promise.resolve(2)])).toBeNull();
});
