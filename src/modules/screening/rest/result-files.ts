import { z } from 'zod';
import { LANGUAGES } from '../../../messages/message.ts';
import { defineRoute, FileReply } from '../../../rest/route.ts';
import { csvFile, jsonLines, type ResultFormat } from '../service/result-file.ts';
import { screeningService } from '../service/screening.ts';
import { READ_FILE } from '../service/screenings.ts';
import { WORKBOOK, workbookFile } from '../service/workbook-file.ts';
import { toResultReply } from './result-reply.ts';
import { FILE_ROWS, type TableOptions, tableOf } from './result-table.ts';
import { screeningId } from './screenings.ts';

/** Query parameters of a table. Without them, a csv file is as it was before there were any. */
const tableQuery = {
  rows: z
    .enum(FILE_ROWS, 'Give results or all.')
    .default('results')
    .describe(
      "all: a row for each row of the portfolio, with the caller's own columns that are kept, the outcome, and the reason of a wrong row",
    ),
  language: z
    .enum(LANGUAGES, 'Give en, es or pt.')
    .optional()
    .describe('Language of the header and of fixed words; codes as in the API when omitted'),
};

/** Properties of every endpoint of result files. A screening that is unknown or of another key is a 404. */
const shared = {
  method: 'GET',
  module: 'screening',
  errors: ['SCREENING_NOT_FOUND'],
  rate: READ_FILE,
  reply: z.never(),
} as const;

const csvRoute = defineRoute({
  ...shared,
  path: '/v1/screenings/:id/results.csv',
  operationId: 'downloadResultsAsCsv',
  summary: 'All results of a screening so far, as a csv file.',
  file: 'text/csv',
  body: z.object({
    id: screeningId,
    ...tableQuery,
    delimiter: z.enum(['comma', 'semicolon'], 'Give comma or semicolon.').default('comma').describe('Separator of the columns'),
  }),
  async handle({ id, delimiter, ...table }, ctx) {
    const format: ResultFormat = (content) =>
      csvFile(tableOf(content, optionsOf(table)), { delimiter, hasMark: table.language !== undefined });
    const content = await ctx.open(screeningService).screenings.file(ctx.caller, id, format);
    return new FileReply({ type: 'text/csv; charset=utf-8', name: `${id}.csv`, content });
  },
});

const jsonLinesRoute = defineRoute({
  ...shared,
  path: '/v1/screenings/:id/results.jsonl',
  operationId: 'downloadResultsAsJsonLines',
  summary: 'All results of a screening so far, as a jsonl file.',
  file: 'application/jsonl',
  body: z.object({ id: screeningId }),
  async handle({ id }, ctx) {
    const format = jsonLines((result) => toResultReply(result, 'en'));
    const content = await ctx.open(screeningService).screenings.file(ctx.caller, id, format);
    return new FileReply({ type: 'application/jsonl; charset=utf-8', name: `${id}.jsonl`, content });
  },
});

const workbookRoute = defineRoute({
  ...shared,
  path: '/v1/screenings/:id/results.xlsx',
  operationId: 'downloadResultsAsWorkbook',
  summary: 'All results of a screening so far, as a workbook.',
  file: WORKBOOK,
  body: z.object({ id: screeningId, ...tableQuery }),
  async handle({ id, ...table }, ctx) {
    const format: ResultFormat = (content) => workbookFile(tableOf(content, optionsOf(table)));
    const content = await ctx.open(screeningService).screenings.file(ctx.caller, id, format);
    return new FileReply({ type: WORKBOOK, name: `${id}.xlsx`, content });
  },
});

const optionsOf = ({
  rows,
  language = null,
}: {
  rows: TableOptions['rows'];
  language?: TableOptions['language'] | undefined;
}): TableOptions => ({
  rows,
  language,
});

export const resultFileRoutes = [csvRoute, jsonLinesRoute, workbookRoute];
