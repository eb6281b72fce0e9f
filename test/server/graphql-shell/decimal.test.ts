import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toDecimal } from '../../../src/graphql/scalars.ts';

describe('a decimal', () => {
  it.each([
    [0, '0'],
    [-0, '0'],
    [517662.9, '517662.9'],
    [-12.5, '-12.5'],
    [123_456_789_012_345_680, '123456789012345680'],
    [1.5e21, '1500000000000000000000'],
    [2.5e-7, '0.00000025'],
    [1e-7, '0.0000001'],
  ])('of %d is %s', (value, text) => {
    expect(toDecimal(value)).toBe(text);
  });

  it('reads back as the same number, without an exponent', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(toDecimal(value)).toMatch(/^-?\d+(\.\d+)?$/);
        expect(Number(toDecimal(value))).toBe(value + 0);
      }),
    );
  });

  it('is the decimal that the number was read from, up to 15 significant digits', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 9_999_999_999_999 }), fc.integer({ min: 1, max: 99 }), (units, cents) => {
        const text = `${units}.${String(cents).padStart(2, '0')}`.replace(/0$/, '');
        expect(toDecimal(Number(text))).toBe(text);
      }),
    );
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY])('does not exist for %d', (value) => {
    expect(() => toDecimal(value)).toThrow(RangeError);
  });
});
