import { expect } from 'vitest';

/** Expects what was measured to be within 40 % of a coefficient of the capacity model: few rows have more of the pages that are not full, and times vary. */
export function expectSimilar(measured: number, coefficient: number): void {
  expect(measured).toBeGreaterThan(coefficient * 0.6);
  expect(measured).toBeLessThan(coefficient * 1.4);
}
