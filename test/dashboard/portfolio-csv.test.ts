import { expect, it } from 'vitest';
import { portfolioCsv } from '../../dashboard/pages/overview/portfolio-csv.ts';
import type { WatchedCompany } from '../../dashboard/state/model.ts';
import type { Texts } from '../../dashboard/texts/texts.ts';

const keys: Texts = Object.assign((key: string) => key, { language: 'en' as const });
const company = (name: string): WatchedCompany => ({
  country: 'CL',
  identifier: '965057609',
  formattedIdentifier: '96.505.760-9',
  name,
  nameGap: null,
  verdict: null,
  candidates: null,
  readAt: 1,
  isOutdated: false,
});

it.each([
  ['=HYPERLINK("http://x")', `"'=HYPERLINK(""http://x"")"`],
  ['A, B', '"A, B"'],
  ['two\nlines', '"two\nlines"'],
])('the csv of a portfolio quotes the name %j, and runs no formula', (name, cell) => {
  expect(portfolioCsv([company(name)], keys)).toContain(`\r\nCL,96.505.760-9,${cell},risk.NONE,,,,,,,\r\n`);
});
