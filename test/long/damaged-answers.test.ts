import { describe, expect, it } from 'vitest';
import { COLOMBIA, itAnswersRightly } from '../sources/damage/campaigns.ts';
import { needsMinutes, rounds } from '../support/rounds.ts';

describe('UP-03 an answer from a damaged document', () => {
  const damaged = itAnswersRightly(rounds(300), 2);

  it('is read from 10,000 damaged documents in a full run', needsMinutes, () => {
    expect(damaged()).toBeGreaterThanOrEqual(rounds(10_000));
  });

  it('is read from 10,000 damaged answers of the commercial register of Colombia in a full run', needsMinutes, () => {
    expect(damaged(COLOMBIA)).toBeGreaterThanOrEqual(rounds(10_000));
  });
});
