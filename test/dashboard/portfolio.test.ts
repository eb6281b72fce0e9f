import { describe, expect, it } from 'vitest';
import type { Country } from '../../dashboard/api/operations.ts';
import { sourcesOf } from '../../dashboard/state/check-sources.ts';
import { companyId, initialState, type ShownCompany, type WatchedCompany } from '../../dashboard/state/model.ts';
import { canAssess, uncompared, unread } from '../../dashboard/state/portfolio.ts';

const company = (country: Country, identifier: string): WatchedCompany => ({
  country,
  identifier,
  formattedIdentifier: identifier,
  name: 'A',
  nameGap: null,
  verdict: null,
  candidates: null,
  readAt: 1,
  isOutdated: false,
  watchedSince: null,
  lastChangeAt: null,
  tags: [],
});
const COMPANIES = [company('BR', '11222333000181'), company('CL', '965057609'), company('CO', '9001234568')];
const stateOf = (...modules: readonly string[]) => ({
  ...initialState,
  account: { id: 'a', name: 'a', role: 'READ' as const, needsApproval: false, modules },
  companies: new Map(COMPANIES.map((one) => [companyId(one), one])),
});
const countries = (companies: readonly WatchedCompany[]) => companies.map(({ country }) => country);

describe('the companies of a portfolio that are to be assessed', () => {
  it.each([
    ['both modules', ['COMPLIANCE_BR', 'COMPLIANCE'], ['BR', 'CL', 'CO']],
    ['the module of Brazil only', ['COMPLIANCE_BR'], ['BR']],
    ['the module of the other countries only', ['COMPLIANCE'], ['CL', 'CO']],
    ['neither module', [], []],
  ])('are those of the countries whose module the key has: %s', (_, modules, expected) => {
    const state = stateOf(...modules, 'SANCTIONS');
    expect((['BR', 'CL', 'CO'] as const).filter((country) => canAssess(state, country))).toEqual(expected);
    expect(countries(unread(state))).toEqual(expected);
    expect(countries(uncompared(state))).toEqual(['BR', 'CL', 'CO'].filter((country) => !expected.includes(country)));
  });
});

const freshness = { fetchedAt: '2026-11-24T10:00:00Z', dataAsOf: null, cached: false, stale: false };
const chilean = (checks: object) =>
  ({
    country: 'CL',
    compliance: { checks: { kyb: null, sanctions: null, debarment: null, labor: null, owners: null, ...checks } },
  }) as ShownCompany;
const taxHealth = {
  status: 'ACTIVE',
  riskSignals: [],
  companyAgeYears: 3,
  debtorsAsOf: null,
  taxDebtAmount: null,
  source: 'SII',
  freshness,
};

describe('the sources of an answer about a Chilean company', () => {
  it('lack the list of tax debtors while the service has none, although the tax taxHealth answered', () => {
    const { read, missing } = sourcesOf(chilean({ taxHealth: { ...taxHealth, debtorsChecked: false } }), []);
    expect(missing).toContain('TAX_DEBTORS_CL');
    expect(read).not.toContain('TAX_DEBTORS_CL');
  });

  it('are not those of checks that only Brazil has', () => {
    const { missing } = sourcesOf(chilean({ taxHealth: { ...taxHealth, debtorsChecked: true } }), []);
    expect(missing).toEqual(['SII', 'OFAC_SDN', 'UN_CONSOLIDATED', 'CL_OWNERSHIP']);
  });
});
