import { expect, it } from 'vitest';
import { type Review, shownCandidates } from '../../../src/modules/sanctions/domain/review.ts';

const candidates = (count: number, isDismissed: (at: number) => boolean) =>
  Array.from({ length: count }, (_, at) => (isDismissed(at) ? { at, dismissal: {} as Review } : { at }));
const places = (count: number, isDismissed: (at: number) => boolean, includeDismissed: boolean) =>
  shownCandidates(candidates(count, isDismissed), includeDismissed).map(({ at }) => at);
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at);

it('an answer with the dismissed candidates has each of the 20 best that nobody has dismissed, in the same order', () => {
  const first20 = (at: number): boolean => at < 20;
  expect(places(25, first20, false)).toEqual([20, 21, 22, 23, 24]);
  expect(places(25, first20, true)).toEqual([...upTo(15), 20, 21, 22, 23, 24]);
  expect(places(25, () => false, true)).toEqual(upTo(20));
  expect(places(3, (at) => at === 1, true)).toEqual([0, 1, 2]);
  expect(places(3, (at) => at === 1, false)).toEqual([0, 2]);
});
