import { describe, expect, it } from 'vitest';
import type { Client } from '../../dashboard/api/client.ts';
import type { ScreeningResult } from '../../dashboard/api/operations.ts';
import { companiesOf, countOf, ownText, reasonCodes } from '../../dashboard/state/screening-results.ts';

const groups = [
  { riskLevel: 'LOW', completeness: 'COMPLETE', answered: true, companies: 7 },
  { riskLevel: 'LOW', completeness: 'PARTIAL', answered: true, companies: 5 },
  { riskLevel: 'HIGH', completeness: 'PARTIAL', answered: true, companies: 3 },
  { riskLevel: null, completeness: null, answered: true, companies: 2 },
  { riskLevel: null, completeness: null, answered: false, companies: 1 },
] as const;

describe('the filters of the results of a screening', () => {
  it.each([
    ['ALL', 18],
    ['HIGH', 3],
    ['MEDIUM', 0],
    ['LOW', 7],
    ['LOW_PARTIAL', 5],
    ['UNANSWERED', 1],
  ] as const)('select with %s as many results as the server counts', (filter, n) => {
    expect(countOf(filter, groups)).toBe(n);
  });

  it('read the companies of every page', async () => {
    const company = (identifier: string) => ({ id: identifier, country: 'BR', identifier, formattedIdentifier: identifier });
    const sent: unknown[] = [];
    const ask = async (_: unknown, variables: { readonly after: string | null }) => {
      sent.push(variables);
      const [page, pageInfo] =
        variables.after === null ? [['1', '2'], { hasNextPage: true, endCursor: 'b' }] : [['3'], { hasNextPage: false, endCursor: 'c' }];
      return { data: { screening: { results: { nodes: page.map((one) => ({ company: company(one) })), pageInfo } } }, errors: [] };
    };
    const companies = await companiesOf({ ask } as unknown as Client, 'scr_1', 'LOW');
    expect(companies.map(({ identifier }) => identifier)).toEqual(['1', '2', '3']);
    const filter = { id: 'scr_1', riskLevel: 'LOW', completeness: 'COMPLETE' };
    expect(sent).toEqual([
      { ...filter, after: null },
      { ...filter, after: 'b' },
    ]);
  });
});

it('a row is known by the first three own cells that are not empty', () => {
  expect([ownText(null), ownText(['', 'a', '', 'b', 'c', 'd'])]).toEqual(['', 'a · b · c']);
});

describe('the reasons of a result', () => {
  const result = (over: Partial<ScreeningResult>): ScreeningResult => ({
    row: 1,
    name: null,
    riskLevel: null,
    completeness: null,
    riskReasons: null,
    isSanctioned: null,
    isDebarred: null,
    hasLaborViolations: null,
    isTaxDebtor: null,
    failedModules: [],
    ownCells: null,
    company: { id: '1', country: 'BR', identifier: '1', formattedIdentifier: '1' },
    ...over,
  });

  it('are those of the verdict', () => {
    expect(
      reasonCodes(result({ riskReasons: ['debarment.record: 1 record on CEIS', 'kyb.not_found: no company'], isDebarred: true })),
    ).toEqual(['RECORD', 'NOT_FOUND']);
  });

  it('are each named once, although several lists have records', () => {
    const riskReasons = ['debarment.record: 1 record on CEIS', 'debarment.record: 2 records on CNEP'];
    expect(reasonCodes(result({ riskReasons }))).toEqual(['RECORD']);
  });

  it('are the findings of single checks where there is no verdict', () => {
    expect(reasonCodes(result({ isSanctioned: true, isDebarred: false, isTaxDebtor: true }))).toEqual(['MATCH', 'TAX_DEBTOR']);
  });
});
