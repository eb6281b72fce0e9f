import { expect, it } from 'vitest';
import { portfolioCsv } from '../../dashboard/pages/portfolio/portfolio-csv.ts';
import { wrongLinesCsv } from '../../dashboard/pages/portfolio/wrong-lines-csv.ts';
import type { Texts } from '../../dashboard/texts/texts.ts';
import { watchedCompany } from './watched-company.ts';

const keys: Texts = Object.assign((key: string) => key, { language: 'en' as const });
const chilean = { country: 'CL', identifier: '965057609', formattedIdentifier: '96.505.760-9' } as const;

it.each([
  ['=HYPERLINK("http://x")', `"'=HYPERLINK(""http://x"")"`],
  ['＝1＋1', "'＝1＋1"],
  ['A, B', '"A, B"'],
  ['two\nlines', '"two\nlines"'],
])('the csv of a portfolio quotes the name %j, and runs no formula', (name, cell) => {
  expect(portfolioCsv([watchedCompany({ ...chilean, name })], keys, 'comma')).toContain(
    `\r\nCL,96.505.760-9,${cell},risk.NONE,,,,,,,,,,\r\n`,
  );
});

it('the csv of a portfolio has the columns of the list: tags, since when it is watched, the last change', () => {
  const company = watchedCompany({
    ...chilean,
    tags: ['=own', 'bank'],
    watchedSince: '2026-11-01T00:00:00+00:00',
    lastChangeAt: '2026-11-20T10:00:00+00:00',
  });
  const [header = '', row = ''] = portfolioCsv([company], keys, 'comma').split('\r\n');
  expect(header).toMatch(/,csv\.tags,csv\.watchedSince,csv\.lastChangeAt$/);
  expect(row).toMatch(/,"'=own; bank",2026-11-01T00:00:00\+00:00,2026-11-20T10:00:00\+00:00$/);
});

it.each([
  ['was not read yet', { readAt: null }, 'risk.UNREAD'],
  ['has no verdict', {}, 'risk.NONE'],
])('the csv of a portfolio says of a company that %s what the page says', (_, over, level) => {
  expect(portfolioCsv([watchedCompany({ ...chilean, ...over })], keys, 'comma')).toContain(`\r\nCL,96.505.760-9,,${level},,`);
});

it('the csv of a portfolio names each reason once, although several lists have records', () => {
  const reason = { check: 'DEBARMENT', code: 'RECORD', message: '', severity: 'MEDIUM' } as const;
  const verdict = {
    riskLevel: 'MEDIUM',
    completeness: 'COMPLETE',
    sourcesFailed: [],
    generatedAt: '2026-11-20T00:00:00+00:00',
    ownersToReview: null,
    riskReasons: [reason, reason],
  } as const;
  expect(portfolioCsv([watchedCompany({ ...chilean, verdict })], keys, 'comma')).toContain(',completeness.COMPLETE,reason.RECORD,');
});

it('the csv of wrong lines has the line, the text, the country and the reason of each', () => {
  const wrong = [
    { line: 7, given: '12.345', country: null, message: 'A CNPJ has 14 characters, this has 5.' },
    { line: null, given: '=1+1', country: 'Peru', message: null },
  ];
  expect(wrongLinesCsv(wrong, keys, 'comma')).toBe(
    '\uFEFFimport.line,portfolio.given,csv.country,import.reason\r\n7,12.345,,"A CNPJ has 14 characters, this has 5."\r\n,\'=1+1,Peru,portfolio.noCountry\r\n',
  );
});

it('a csv has semicolons, by which spreadsheets with a decimal comma separate columns, if a person chose them', () => {
  const [header, row] = portfolioCsv([watchedCompany({ ...chilean, name: 'A, B; C' })], keys, 'semicolon').split('\r\n');
  expect(header).toMatch(/^\uFEFFcsv\.country;csv\.identifier;csv\.name;/);
  expect(row).toMatch(/^CL;96\.505\.760-9;"A, B; C";/);
  expect(wrongLinesCsv([{ line: 7, given: '12.345', country: null, message: 'x' }], keys, 'semicolon')).toContain('\r\n7;12.345;;x\r\n');
});
