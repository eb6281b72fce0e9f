import type { WatchedCompany } from '../../state/model.ts';
import type { Texts } from '../../texts/texts.ts';

/** Writes companies as CSV in the language of the page, with the sign by which spreadsheets recognise UTF-8. */
export function portfolioCsv(companies: readonly WatchedCompany[], texts: Texts): string {
  const head = COLUMNS.map((column) => texts(`csv.${column}`));
  const lines = [head, ...companies.map((company) => rowOf(company, texts))];
  return `\uFEFF${lines.map((cells) => `${cells.map(cellText).join(',')}\r\n`).join('')}`;
}

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
] as const;

function rowOf(company: WatchedCompany, texts: Texts): readonly (string | number)[] {
  const { country, formattedIdentifier, name, verdict } = company;
  const review = verdict?.ownersToReview;
  return [
    country,
    formattedIdentifier,
    name ?? '',
    texts(`risk.${verdict?.riskLevel ?? 'NONE'}`),
    verdict ? texts(`completeness.${verdict.completeness}`) : '',
    verdict?.riskReasons.map(({ code }) => texts(`reason.${code}`)).join('; ') ?? '',
    review?.owners ?? '',
    review?.total ?? '',
    review?.byTaxId ?? '',
    review?.notCompared ?? '',
    verdict?.generatedAt ?? '',
  ];
}

/** Quotes a cell. A text that a spreadsheet would take for a formula begins with an apostrophe. */
function cellText(value: string | number): string {
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
