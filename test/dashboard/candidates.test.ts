import { describe, expect, it } from 'vitest';
import type { Candidate, Verdict } from '../../dashboard/api/operations.ts';
import { candidatesOf, chosenTogether, isSelected, NO_FILTER, openCandidates } from '../../dashboard/state/candidates.ts';
import { decisionFilter } from '../../dashboard/state/decisions.ts';
import { type DashboardState, initialState, type WatchedCompany } from '../../dashboard/state/model.ts';
import { watchedCompany } from './watched-company.ts';

const candidate: Candidate = {
  ...{ list: 'OFAC_SDN', entityId: '1', entryName: 'NORVAL LTDA', matchedName: 'NORVAL', matchedOn: 'NAME', screenedName: 'NORVAL SA' },
  ...{
    decision: 'MATCH',
    score: 1,
    explanation: '',
    programs: [],
    countries: [],
    matchedById: false,
    dismissal: null,
    confirmation: null,
    waitingDecision: null,
  },
  party: { aliases: [], taxIds: [], addresses: [], foundationDates: [], remarks: null, reference: null },
};
const verdict: Verdict = {
  ...{ riskLevel: 'LOW', completeness: 'COMPLETE', sourcesFailed: [], generatedAt: '2026-11-28T12:00:00Z', ownersToReview: null },
  riskReasons: [],
};
const company = watchedCompany({
  identifier: '99030001000146',
  formattedIdentifier: '99.030.001/0001-46',
  name: 'Norval',
  verdict,
  candidates: [candidate],
});
const decided = { dismissal: { id: 'dsm_1' } as Candidate['dismissal'] };
const portfolio = (...companies: readonly WatchedCompany[]): DashboardState => ({
  ...initialState,
  account: { id: '1', name: 'Ana', modules: ['COMPLIANCE_BR', 'SANCTIONS'], role: 'DECIDE', needsApproval: false },
  companies: new Map(companies.map((one) => [`${one.country}/${one.identifier}`, one])),
  ...{ watched: companies.length, settled: companies.length, isReading: false },
});
const other = (change: Partial<WatchedCompany>): WatchedCompany => ({ ...company, identifier: '99030002000190', ...change });

describe('the number of open candidates', () => {
  it('counts those that a person must decide about', () => {
    const candidates = [candidate, { ...candidate, ...decided }, { ...candidate, matchedById: true }];
    expect(openCandidates(portfolio(company, other({ candidates })))).toBe(2);
    expect(openCandidates(portfolio())).toBe(0);
  });

  it.each([
    ['the portfolio is being read', { ...portfolio(company), watched: null }],
    ['a company was not read', portfolio(company, other({ readAt: null, verdict: null, candidates: null }))],
    ['a company changed', portfolio(company, other({ isOutdated: true }))],
    ['a list failed', portfolio(company, other({ verdict: { ...verdict, sourcesFailed: ['SANCTIONS'] }, candidates: null }))],
    [
      'the registry failed, which has the name',
      portfolio(company, other({ verdict: { ...verdict, sourcesFailed: ['KYB'] }, candidates: null })),
    ],
    ['the names of a company of Chile were not compared', portfolio(company, other({ country: 'CL', verdict: null, candidates: null }))],
  ])('is not known while %s', (_, state) => {
    expect(openCandidates(state)).toBeNull();
  });

  it('is known for a company without a name to compare', () => {
    expect(openCandidates(portfolio(company, other({ candidates: null })))).toBe(1);
  });
});

describe('a filter of candidates', () => {
  const row = { company, candidate };
  it.each([
    [{}, true],
    [{ text: ' norval ltda ' }, true],
    [{ text: '99.030.001' }, true],
    [{ text: 'other' }, false],
    [{ list: 'OFAC_SDN' }, true],
    [{ list: 'UN_CONSOLIDATED' }, false],
    [{ country: 'CL' as const }, false],
    [{ decision: 'REVIEW' as const }, false],
    [{ decision: 'MATCH' as const, country: 'BR' as const }, true],
  ])('%o selects a candidate: %s', (filter, isShown) => {
    expect(isSelected({ ...NO_FILTER, ...filter }, row)).toBe(isShown);
  });

  it('of decisions has no blank text', () => {
    expect(decisionFilter({ ...NO_FILTER, text: '  ', list: 'OFAC_SDN', country: 'BR' })).toEqual({
      isWaiting: false,
      text: null,
      lists: ['OFAC_SDN'],
      country: 'BR',
    });
  });
});

describe('candidates of companies', () => {
  it('are sorted by decision and score', () => {
    const review = { ...candidate, decision: 'REVIEW' as const, entityId: '2' };
    const lower = { ...candidate, score: 0.9, entityId: '3' };
    const sorted = candidatesOf([other({ candidates: [review, lower] }), company]);
    expect(sorted.map((one) => one.candidate.entityId)).toEqual(['1', '3', '2']);
  });
});

it('chooses all candidates but those with a decision that waits, which another decision would replace', () => {
  const waiting = { ...candidate, entityId: '2', waitingDecision: { id: 'dsm_2' } as Candidate['waitingDecision'] };
  const rows = candidatesOf([{ ...company, candidates: [candidate, waiting] }]);
  expect(chosenTogether(rows).map((row) => row.candidate.entityId)).toEqual(['1']);
});
