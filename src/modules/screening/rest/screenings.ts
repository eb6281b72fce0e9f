import { z } from 'zod';
import { COUNTRIES, requireCountry } from '../../../domain/company.ts';
import { parseTimeCursor, toTimeCursor } from '../../../domain/paging.ts';
import { toPublicId } from '../../../domain/public-ids.ts';
import { unlessWebhook } from '../../../domain/roles.ts';
import { isoOrNull, isoWithOffset } from '../../../domain/time.ts';
import { country, datetime, flag, identifierList, nextAfter, pageAfter, pageEnd, pageSize, taxIds } from '../../../rest/fields.ts';
import { defineRoute, type WebhookEvent } from '../../../rest/route.ts';
import { MAX_NAME, MAX_ROWS, SCREENED_MODULES, type Screening } from '../domain/screening.ts';
import type { ScreeningDone } from '../domain/webhook-payload.ts';
import { screeningsLoader } from '../loader.ts';
import { type ReadRows, readPortfolioFile, rowsOfList } from '../service/portfolio-file.ts';
import { screeningService } from '../service/screening.ts';
import { START } from '../service/screenings.ts';

export const moduleName = z.enum(SCREENED_MODULES, `Give modules of ${SCREENED_MODULES.join(', ')}.`);

const screeningReply = z
  .object({
    screening_id: z.string(),
    name: z.string().nullable(),
    modules: z.array(moduleName).describe('Modules that each company is checked with, as far as they serve its country'),
    state: z.enum(['queued', 'running', 'done', 'cancelled']),
    total: z.int().describe('Number of companies, each counted once'),
    done: z.int().describe('Companies with an answer'),
    failed: z.int().describe('Companies without any answer after three attempts'),
    invalid: z.int().describe('Rows without a valid tax id of a supported country'),
    duplicates: z.int().describe('Rows that repeat the company of an earlier row'),
    created_at: datetime,
    finished_at: datetime.nullable(),
    webhook_url: z.string().nullable().describe('URL to which the end of the screening is sent'),
    webhook_delivered_at: datetime.nullable().describe('When the webhook was delivered'),
    webhook_error: z
      .string()
      .nullable()
      .describe('Reason for which the last attempt of the webhook failed, such as `timeout` or `http_status 500`'),
  })
  .meta({ id: 'Screening' });

/** The event that the webhook of a screening receives. */
export const doneWebhook: WebhookEvent = {
  name: 'ScreeningDone',
  summary: 'A screening is done.',
  payload: z.object({
    id: z.string().describe('The screening, `scr_…`; the same as webhook-id'),
    type: z.literal('screening.done'),
    timestamp: datetime.nullable().describe('When it was done'),
    data: screeningReply.pick({
      screening_id: true,
      name: true,
      state: true,
      total: true,
      done: true,
      failed: true,
      invalid: true,
      duplicates: true,
    }),
  }) satisfies z.ZodType<ScreeningDone>,
};

const toReply = (screening: Screening): z.input<typeof screeningReply> => ({
  screening_id: toPublicId('screening', screening.id),
  name: screening.name,
  modules: [...screening.modules],
  state: screening.state,
  total: screening.total,
  done: screening.done,
  failed: screening.failed,
  invalid: screening.invalid,
  duplicates: screening.duplicates,
  created_at: isoWithOffset(screening.createdAt),
  finished_at: isoOrNull(screening.finishedAt),
  webhook_url: screening.webhookUrl,
  webhook_delivered_at: isoOrNull(screening.webhookDeliveredAt),
  webhook_error: screening.webhookError,
});

export const screeningId = z.string().describe('screening_id');

/** Maximum size of a body, in bytes. 100,000 tax ids in their longest form fit into it. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;

const portfolio = identifierList(taxIds.min(1, 'Give at least one tax id.').max(MAX_ROWS, `Give at most ${MAX_ROWS} tax ids.`));

/** POST /v1/screenings: starts the screening of a portfolio. 422 for an invalid module or name; 403 for a module that the key lacks. */
const startRoute = defineRoute({
  method: 'POST',
  path: '/v1/screenings',
  module: 'screening',
  role: unlessWebhook('webhook_url'),
  operationId: 'startScreening',
  summary: 'Check up to 100,000 companies in the background. The body may have 4 MiB.',
  errors: ['UNSUPPORTED_COUNTRY', 'PLAN_LIMIT_REACHED'],
  maxBodyBytes: MAX_BODY_BYTES,
  rate: START,
  body: z
    .object({
      identifiers: portfolio.optional().describe('1 to 100,000 tax ids'),
      csv: z
        .string('Give the file as text.')
        .optional()
        .describe('Instead of `identifiers`: the text of a csv file with a column `identifier` and, optionally, `country`'),
      keep_columns: flag(z.boolean('Give true or false.').default(false)).describe(
        'true: the other columns of `csv` are stored with the screening, for files of all rows',
      ),
      country: country.optional().describe('Country of the rows that state none; detected from the form of each tax id when omitted'),
      name: z
        .string()
        .max(MAX_NAME, `A name has at most ${MAX_NAME} characters.`)
        .optional()
        .describe('A name for display, at most 200 characters'),
      modules: z
        .array(moduleName)
        .min(1, 'Name a module, or leave them out.')
        .max(SCREENED_MODULES.length)
        .optional()
        .describe('When omitted: those of compliance_br, compliance, kyb, sanctions and tax_health that the key has'),
      webhook_url: z.string('Give the URL as text.').optional().describe('URL to which the end of the screening is sent'),
    })
    .refine(({ identifiers, csv }) => (identifiers === undefined) !== (csv === undefined), {
      path: ['identifiers'],
      message: 'Give either identifiers or csv.',
    }),
  reply: screeningReply
    .extend({ secret: z.string().optional().describe('Signs the webhook; only with `webhook_url`. It is returned only once') })
    .meta({ id: 'StartedScreening' }),
  async handle(
    { identifiers = [], csv, keep_columns: keeps, country: given, name = null, modules = null, webhook_url: webhookUrl = null },
    ctx,
  ) {
    const of = given === undefined ? null : requireCountry(given, COUNTRIES, 'Screening');
    const readRows: ReadRows =
      csv === undefined
        ? rowsOfList(identifiers, of)
        : (add, keepColumns) =>
            readPortfolioFile(csv, (row) => add({ ...row, country: row.country ?? of }), { keepColumns: keeps ? keepColumns : undefined });
    const started = await ctx.open(screeningService).screenings.start(ctx.caller, { name, modules, webhookUrl, readRows });
    return { ...toReply(started.screening), ...(started.secret !== null && { secret: started.secret }) };
  },
});

/** GET /v1/screenings: a page of the screenings of the key, newest first. 422 for a malformed page. */
const listRoute = defineRoute({
  method: 'GET',
  path: '/v1/screenings',
  module: 'screening',
  operationId: 'listScreenings',
  summary: 'Screenings of the key, newest first.',
  errors: [],
  body: z.object({ limit: pageSize, after: pageAfter }),
  reply: z.object({ screenings: z.array(screeningReply), ...pageEnd }),
  async handle({ limit, after }, ctx) {
    const page = { first: Number(limit), after: after === undefined ? null : parseTimeCursor('screening', after) };
    const { items, hasMore } = await ctx.read(screeningsLoader, { keyId: ctx.caller.keyId, ...page });
    const next_after = nextAfter(items, (screening) => toTimeCursor('screening', screening));
    return { screenings: items.map(toReply), has_more: hasMore, next_after };
  },
});

/** GET /v1/screenings/{id}: a screening and its progress. 404 for a screening that is unknown or of another key. */
const findRoute = defineRoute({
  method: 'GET',
  path: '/v1/screenings/:id',
  module: 'screening',
  operationId: 'getScreening',
  summary: 'State of a screening.',
  errors: ['SCREENING_NOT_FOUND'],
  body: z.object({ id: screeningId }),
  reply: screeningReply,
  handle: async ({ id }, ctx) => toReply(await ctx.open(screeningService).screenings.find(ctx.caller, id)),
});

/** DELETE /v1/screenings/{id}: cancels a screening. 404 for a screening that is unknown, of another key, or has ended. */
const cancelRoute = defineRoute({
  method: 'DELETE',
  path: '/v1/screenings/:id',
  module: 'screening',
  role: 'decide',
  operationId: 'cancelScreening',
  summary: 'Cancel a screening; its results so far are kept.',
  errors: ['SCREENING_NOT_FOUND'],
  body: z.object({ id: screeningId }),
  reply: screeningReply,
  handle: async ({ id }, ctx) => toReply(await ctx.open(screeningService).screenings.cancel(ctx.caller, id)),
});

export const screeningRoutes = [startRoute, listRoute, findRoute, cancelRoute];
