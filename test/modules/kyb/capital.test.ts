import { describe, expect, it } from 'vitest';
import { capitalOf } from '../../../src/modules/kyb/domain/registration.ts';

describe('the capital of a public record', () => {
  it.each([
    [0, true, '0', false],
    [1500.5, true, '1500.5', false],
    [292_000, true, '292000', false],
    [131_072.75, true, '131073', false],
    [1_061_004_800, true, '1061004800', true],
    [120_000_000_000, true, '120000000000', true],
    [1_061_004_829.23, false, '1061004829.23', false],
    [null, true, null, false],
  ])('of %s, a 32-bit float: %s, is %s', (amount, isFloat, capital, isCapitalRounded) => {
    expect(capitalOf(amount, isFloat)).toEqual({ capital, isCapitalRounded });
  });
});
