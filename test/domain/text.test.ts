import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { storable } from '../../src/domain/text.ts';

describe('a text of others', () => {
  it.each([
    ['a NUL', 'A\0B', 'AB'],
    ['other control characters', 'A\u0001\u001b[31mB\u007f', 'A[31mB'],
    ['line breaks and tabs', 'A\r\n\tB', 'A\r\n\tB'],
    ['half a surrogate pair', '\ud800A\udfff', '\ufffdA\ufffd'],
    ['a whole pair', '\u{1f600}', '\u{1f600}'],
    ['control characters that a wrong charset leaves', 'PADRA\u00c3\u0083O', 'PADRA\u00c3\u0083O'],
  ])('is made storable: %s', (_, text, expected) => {
    expect(storable(text)).toBe(expected);
  });

  it('is cut at its maximum length, and never within a pair', () => {
    expect(storable('ACME LTDA', 4)).toBe('ACME');
    expect(storable(`ACM\u{1f600}`, 4)).toBe('ACM');
    expect(storable('x'.repeat(800_000)).length).toBe(10_000);
  });

  it('is well-formed, bounded and without NUL, whatever it was; and stays as it is when it is read again', () => {
    const text = fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)), maxLength: 60 });
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 60 }), (any, maxLength) => {
        const got = storable(any, maxLength);
        expect(got.isWellFormed() && !got.includes('\0') && got.length <= maxLength).toBe(true);
        expect(storable(got, maxLength)).toBe(got);
      }),
    );
  });
});
