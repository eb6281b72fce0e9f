import { describe, expect, it } from 'vitest';
import { employeesRange, sizeOfBracket, sizeOfPorte } from '../../../src/modules/enrich/domain.ts';

describe('the size of a company', () => {
  it('follows the bracket of sales in Chile, where 1 is not informed and null unknown', () => {
    const sizes = [null, 1, 2, 4, 5, 7, 8, 9, 10, 13].map(sizeOfBracket);
    expect(sizes).toEqual(['unknown', 'unknown', 'small', 'small', 'small', 'small', 'large', 'large', 'large', 'large']);
  });

  it('follows the porte in Brazil, where DEMAIS is neither micro nor small', () => {
    const sizes = (['MICRO EMPRESA', 'EMPRESA DE PEQUENO PORTE', 'DEMAIS', null] as const).map((porte) => sizeOfPorte(porte, false));
    expect(sizes).toEqual(['small', 'small', 'large', 'unknown']);
    expect(sizeOfPorte(null, true)).toBe('small');
  });
});

describe('the range of employees', () => {
  it('starts at zero, which differs from unknown', () => {
    const ranges = [null, 0, 1, 9, 10, 49, 50, 199, 200, 999, 1000, 250_000].map(employeesRange);
    expect(ranges).toEqual([null, '0', '1-9', '1-9', '10-49', '10-49', '50-199', '50-199', '200-999', '200-999', '1000+', '1000+']);
  });
});
