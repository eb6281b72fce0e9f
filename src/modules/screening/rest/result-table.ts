import type { Language } from '../../../messages/message.ts';
import { columnText, moduleText, reasonText, rejectionText, wordText } from '../domain/file-texts.ts';
import type { PortfolioResult } from '../domain/screening.ts';
import type { Cell, FileContent, Table } from '../service/result-file.ts';
import { resultReply, toResultReply } from './result-reply.ts';

/** Rows of a result file: the results so far, or every row of the portfolio. */
export const FILE_ROWS = ['results', 'all'] as const;

export interface TableOptions {
  readonly rows: (typeof FILE_ROWS)[number];
  /** Language of the header and of fixed words; null for the codes of the API. */
  readonly language: Language | null;
}

/** Members of a row by column. */
type Members = Readonly<Record<string, unknown>>;

const COLUMNS = Object.keys(resultReply.shape);
/** Columns in which only a file of all rows has values. */
const OUTCOME = ['outcome', 'reason'];

/** Returns the table of a screening. The caller's own columns stand after the number of the row, if all rows are wanted. */
export function tableOf({ results, rows, ownColumns }: FileContent, { rows: wanted, language }: TableOptions): Table {
  const headOf = (columns: readonly string[]) => columns.map((column) => columnText(column, language));
  const cellsOf = (members: Members, columns: readonly string[]) => columns.map((column) => cellOf(column, members[column], language));
  if (wanted === 'results')
    return { head: headOf(COLUMNS), rows: mapped(results(), (result) => cellsOf(toResultReply(result, 'en'), COLUMNS)) };
  const [row = '', ...others] = COLUMNS;
  const rest = [...others, ...OUTCOME];
  return {
    head: [...headOf([row]), ...(ownColumns ?? []), ...headOf(rest)],
    rows: mapped(rows(), (one) => [one.row, ...(one.ownCells ?? []), ...cellsOf(membersOf(one), rest)]),
  };
}

const membersOf = ({ row, outcome, company, result, reason }: PortfolioResult): Members => ({
  ...(company && { row, identifier: company.taxId, country: company.country }),
  ...(result && toResultReply(result, 'en')),
  outcome,
  reason,
});

/** Texts of the items of a list, by column. */
const LISTS: Readonly<Record<string, (item: string, language: Language | null) => string>> = {
  risk_reasons: reasonText,
  failed_modules: moduleText,
};

/** Lists are separated by `; `, and null is an empty cell. */
function cellOf(column: string, value: unknown, language: Language | null): Cell {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number') return value;
  if (Array.isArray(value)) {
    const textIn = LISTS[column];
    return value.map((one) => textIn?.(String(one), language) ?? String(one)).join('; ');
  }
  if (column === 'reason') return rejectionText(String(value), language);
  return wordText(column, String(value), language);
}

async function* mapped<T, R>(pages: AsyncIterable<readonly T[]>, map: (item: T) => R): AsyncGenerator<readonly R[]> {
  for await (const page of pages) yield page.map(map);
}
