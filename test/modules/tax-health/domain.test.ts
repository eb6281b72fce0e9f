import { describe, expect, it } from 'vitest';
import { chileanDate, daysBetween } from '../../../src/domain/time.ts';
import { type RiskFacts, revenueTier, riskSignals, salesBracket, wholeYears } from '../../../src/modules/tax-health/domain.ts';

describe('sales brackets', () => {
  it.each([
    [2, 'micro', 0, 200],
    [3, 'micro', 200, 600],
    [4, 'micro', 600, 2_400],
    [5, 'small', 2_400, 5_000],
    [6, 'small', 5_000, 10_000],
    [7, 'small', 10_000, 25_000],
    [8, 'medium', 25_000, 50_000],
    [9, 'medium', 50_000, 100_000],
    [10, 'large', 100_000, 200_000],
    [11, 'large', 200_000, 600_000],
    [12, 'large', 600_000, 1_000_000],
    [13, 'large', 1_000_000, null],
  ])('%d is %s: more than %d UF, up to %s', (number, tier, overUf, upToUf) => {
    const bracket = salesBracket(number);
    expect(bracket).toEqual({ number, overUf, upToUf });
    expect(bracket && revenueTier(bracket)).toBe(tier);
  });

  it.each([1, null, 0, 14])('%s is no range: sales not informed are not zero sales', (number) => {
    expect(salesBracket(number)).toBeNull();
  });
});

describe('age', () => {
  it.each([
    ['2001-11-21', '2026-11-21', 25],
    ['2001-11-22', '2026-11-21', 24],
    ['2004-02-29', '2026-02-28', 21],
    ['2004-02-29', '2026-03-01', 22],
    ['2026-01-01', '2026-11-21', 0],
    ['2027-01-01', '2026-11-21', 0],
  ])('from %s to %s is %d whole years', (from, to, years) => {
    expect(wholeYears(from, to)).toBe(years);
  });

  it.each([
    ['in winter, four hours behind', '2026-07-01T03:59:59Z', '2026-06-30'],
    ['in winter, four hours behind', '2026-07-01T04:00:00Z', '2026-07-01'],
    ['in summer, three', '2026-11-21T02:59:59Z', '2026-11-20'],
    ['in summer, three', '2026-11-21T03:00:00Z', '2026-11-21'],
  ])('goes by the date in Santiago: %s, %s is %s', (_, moment, date) => {
    expect(chileanDate(Date.parse(moment))).toBe(date);
  });

  it('counts days across clock changes and leap days', () => {
    expect(daysBetween('2026-04-01', '2026-09-30')).toBe(182);
    expect(daysBetween('2024-02-28', '2024-03-01')).toBe(2);
    expect(daysBetween('2026-11-22', '2026-11-21')).toBe(-1);
  });
});

describe('risk signals', () => {
  const sound: RiskFacts = {
    status: 'active',
    taxDebtor: false,
    deregisteredAt: null,
    revenueTier: 'small',
    foundedOn: '2010-01-01',
    today: '2026-11-21',
  };

  it('are empty for a company without risks, and for an unknown one', () => {
    expect(riskSignals(sound)).toEqual([]);
    expect(riskSignals({ ...sound, taxDebtor: null, revenueTier: null, foundedOn: null })).toEqual([]);
    expect(riskSignals({ ...sound, status: 'not_found', taxDebtor: null, revenueTier: null, foundedOn: null })).toEqual([]);
  });

  it('come in their fixed order', () => {
    const worst: RiskFacts = {
      status: 'inactive',
      taxDebtor: true,
      deregisteredAt: '2026-11-01',
      revenueTier: 'micro',
      foundedOn: '2026-01-01',
      today: '2026-11-21',
    };
    expect(riskSignals(worst)).toEqual(['tax_debtor', 'inactive_company', 'recently_deregistered', 'new_company', 'micro_revenue_tier']);
  });

  it.each([
    ['2025-11-21', true],
    ['2025-11-20', false],
    ['2026-11-21', true],
  ])('an end on %s is recent on 2026-11-21: %s', (deregisteredAt, recent) => {
    const signals = riskSignals({ ...sound, status: 'inactive', deregisteredAt });
    expect(signals).toEqual(recent ? ['inactive_company', 'recently_deregistered'] : ['inactive_company']);
  });

  it.each([
    ['2025-11-22', true],
    ['2025-11-21', false],
    ['2026-11-21', true],
  ])('a company of %s is new on 2026-11-21: %s', (foundedOn, isNew) => {
    expect(riskSignals({ ...sound, foundedOn })).toEqual(isNew ? ['new_company'] : []);
  });
});
