import { describe, expect, it } from 'vitest';
import { NO_FINDINGS, type ScreeningResult } from '../../../src/modules/screening/domain/screening.ts';
import { tableOf } from '../../../src/modules/screening/rest/result-table.ts';

const result: ScreeningResult = {
  row: 1,
  company: { country: 'BR', taxId: '99030001000146' },
  findings: NO_FINDINGS,
  failedModules: ['kyb', 'sanctions'],
  checkedAt: Date.UTC(2026, 10, 22),
  ownCells: null,
};

async function* pages<T>(...page: T[]): AsyncGenerator<readonly T[]> {
  yield page;
}

describe('the modules without an answer in a file of results', () => {
  it.each([
    [null, 'kyb; sanctions'],
    ['en', 'Registration; Sanctions'],
    ['es', 'Situación registral; Sanciones'],
    ['pt', 'Situação cadastral; Sanções'],
  ] as const)('are written for language %s as %s', async (language, expected) => {
    const content = { ownColumns: null, results: () => pages(result), rows: () => pages<never>() };
    const { rows } = tableOf(content, { rows: 'results', language });
    const cells: unknown[] = [];
    for await (const page of rows) cells.push(...page.flat());
    expect(cells).toContain(expected);
  });
});
