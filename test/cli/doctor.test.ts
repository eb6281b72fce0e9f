import { describe, expect, it } from 'vitest';
import { clockFinding } from '../../src/cli/doctor.ts';

describe('the clock, as quipu doctor judges it', () => {
  it.each([
    { others: [], state: 'off', found: 'no other machine to compare it with' },
    { others: [{ name: 'Postgres', aheadMs: -400 }], state: 'ok', found: 'within 1 s of Postgres' },
    { others: [{ name: 'Postgres', aheadMs: 7_000 }], state: 'warning', found: '7.0 s behind Postgres' },
    { others: [{ name: 'pncp', aheadMs: -90_500 }], state: 'problem', found: '90.5 s ahead of pncp' },
  ])('is $state: $found', ({ others, state, found }) => {
    expect(clockFinding(others)).toMatchObject({ state, found });
  });

  it('is compared with the nearest of several clocks, because one of them may be wrong itself', () => {
    const others = [
      { name: 'pncp', aheadMs: 3_600_000 },
      { name: 'Redis', aheadMs: 900 },
    ];
    expect(clockFinding(others)).toMatchObject({ state: 'ok', found: 'within 1 s of Redis' });
  });
});
