import type { CsvDelimiter } from '../../../src/domain/csv.ts';
import type { WatchedCompany } from '../../state/model.ts';
import type { Texts } from '../../texts/texts.ts';
import { toCsv } from './to-csv.ts';

const COLUMNS = [
  'country',
  'identifier',
  'name',
  'level',
  'completeness',
  'reasons',
  'owners',
  'ownersToReview',
  'ownersByTaxId',
  'ownersNotCompared',
  'assessedAt',
  'tags',
  'watchedSince',
  'lastChangeAt',
] as const;

/** Writes companies as CSV in the language of the page. */
export const portfolioCsv = (companies: readonly WatchedCompany[], texts: Texts, delimiter: CsvDelimiter): string =>
  toCsv([COLUMNS.map((column) => texts(`csv.${column}`)), ...companies.map((company) => rowOf(company, texts))], delimiter);

/** Returns the reasons of a verdict in words, each once: several lists with a record are several reasons with one code. */
export const reasonsOf = ({ riskReasons }: NonNullable<WatchedCompany['verdict']>, texts: Texts): readonly string[] =>
  [...new Set(riskReasons.map(({ code }) => code))].map((code) => texts(`reason.${code}`));

function rowOf(company: WatchedCompany, texts: Texts): readonly (string | number)[] {
  const { country, formattedIdentifier, name, verdict } = company;
  const review = verdict?.ownersToReview;
  return [
    country, // the code is written, because the import of a portfolio reads this column
    formattedIdentifier,
    name ?? '',
    texts(`risk.${verdict?.riskLevel ?? (company.readAt === null ? 'UNREAD' : 'NONE')}`),
    verdict ? texts(`completeness.${verdict.completeness}`) : '',
    verdict ? reasonsOf(verdict, texts).join('; ') : '',
    review?.owners ?? '',
    review?.total ?? '',
    review?.byTaxId ?? '',
    review?.notCompared ?? '',
    verdict?.generatedAt ?? '',
    company.tags.join('; '),
    company.watchedSince ?? '',
    company.lastChangeAt ?? '',
  ];
}
