import { z } from 'zod';
import { COUNTRIES, requireCountry } from '../../domain/company.ts';
import { toPublicId } from '../../domain/public-ids.ts';
import { isoOrNull, isoWithOffset } from '../../domain/time.ts';
import { country, datetime, registrationStatus } from '../../rest/fields.ts';
import { defineRoute } from '../../rest/route.ts';
import { parseNumberCursor, toNumberCursor } from '../monitor/graphql/arguments.ts';
import { pageSize } from '../monitor/rest/subscriptions.ts';
import type { RejectedRow } from './domain/portfolio.ts';
import { MAX_NAME, MAX_ROWS, SCREENED_MODULES, type Screening, type ScreeningResult } from './domain/screening.ts';
import { rejectedLoader, resultsLoader } from './loader.ts';
import { screeningService } from './service/screening.ts';
import { START } from './service/screenings.ts';

const moduleName = z.enum(SCREENED_MODULES, `Give modules of ${SCREENED_MODULES.join(', ')}.`);

const screeningReply = z
  .object({
    screening_id: z.string(),
    name: z.string().nullable(),
    modules: z.array(moduleName).describe('Modules that each company is checked with, as far as they serve its country'),
    state: z.enum(['queued', 'running', 'done', 'cancelled']),
    total: z.int().describe('Companies, each once'),
    done: z.int().describe('Companies with an answer'),
    failed: z.int().describe('Companies without any answer after three attempts'),
    invalid: z.int().describe('Rows that are no company'),
    duplicates: z.int().describe('Rows with the company of an earlier row'),
    created_at: datetime,
    finished_at: datetime.nullable(),
  })
  .meta({ id: 'Screening' });

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
});

const riskLevel = z.enum(['low', 'medium', 'high']);
const completeness = z.enum(['complete', 'partial', 'insufficient']);

const resultReply = z
  .object({
    row: z.int().describe('Row of the portfolio, counted from 1'),
    identifier: z.string().describe('Bare tax id'),
    country: z.enum(COUNTRIES),
    company_name: z.string().nullable(),
    registration_status: registrationStatus.nullable(),
    risk_level: riskLevel.nullable(),
    completeness: completeness.nullable(),
    risk_reasons: z.array(z.string()).nullable(),
    is_sanctioned: z.boolean().nullable(),
    is_debarred: z.boolean().nullable(),
    has_violations: z.boolean().nullable(),
    tax_debtor: z.boolean().nullable(),
    owner_count: z.int().nullable(),
    failed_modules: z.array(moduleName),
    checked_at: datetime,
  })
  .meta({ id: 'ScreeningResult' });

const toResultReply = ({ row, company, findings, failedModules, checkedAt }: ScreeningResult): z.input<typeof resultReply> => ({
  row,
  identifier: company.taxId,
  country: company.country,
  company_name: findings.name,
  registration_status: findings.registrationStatus,
  risk_level: findings.riskLevel,
  completeness: findings.completeness,
  risk_reasons: findings.riskReasons && [...findings.riskReasons],
  is_sanctioned: findings.isSanctioned,
  is_debarred: findings.isDebarred,
  has_violations: findings.hasLaborViolations,
  tax_debtor: findings.isTaxDebtor,
  owner_count: findings.ownerCount,
  failed_modules: [...failedModules],
  checked_at: isoWithOffset(checkedAt),
});

const rejectedReply = z.object({ row: z.int(), kind: z.enum(['invalid', 'duplicate']), reason: z.string() }).meta({ id: 'RejectedRow' });

const screeningId = z.string().describe('screening_id');
const after = z.string().max(256, 'A cursor is shorter than this.').optional().describe('next_after of the page before');

/** Room for 100,000 tax ids in their longest form. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** POST /v1/screenings: starts the checks of a portfolio. 422 for a wrong module or name; 403 for a module that the key lacks. */
const startRoute = defineRoute({
  method: 'POST',
  path: '/v1/screenings',
  module: 'screening',
  operationId: 'startScreening',
  summary: 'Check up to 100,000 companies in the background. The body may have 4 MiB.',
  errors: ['UNSUPPORTED_COUNTRY', 'PLAN_LIMIT_REACHED'],
  maxBodyBytes: MAX_BODY_BYTES,
  rate: START,
  body: z.object({
    identifiers: z
      .array(z.string('Give each tax id as text.'), 'Give the tax ids as a list.')
      .min(1, 'Give at least one tax id.')
      .max(MAX_ROWS, `Give at most ${MAX_ROWS} tax ids.`)
      .describe('1 to 100,000 tax ids; the country is detected by the form of each where `country` is left out'),
    country: country.optional(),
    name: z.string().max(MAX_NAME, `A name has at most ${MAX_NAME} characters.`).optional().describe('For people'),
    modules: z
      .array(moduleName)
      .min(1, 'Name a module, or leave them out.')
      .optional()
      .describe('Left out: compliance_br, kyb, sanctions and tax_health, as far as the key has them'),
  }),
  reply: screeningReply,
  async handle({ identifiers, country: given, name = null, modules = null }, ctx) {
    const of = given === undefined ? null : requireCountry(given, COUNTRIES, 'Screening');
    const rows = identifiers.map((identifier, i) => ({ row: i + 1, identifier, country: of }));
    return toReply(await ctx.open(screeningService).screenings.start(ctx.caller, { name, modules, rows }));
  },
});

/** GET /v1/screenings/{id}: how far it is. 404 for an unknown or a foreign one. */
const findRoute = defineRoute({
  method: 'GET',
  path: '/v1/screenings/:id',
  module: 'screening',
  operationId: 'getScreening',
  summary: 'How far a screening is.',
  errors: ['SCREENING_NOT_FOUND'],
  body: z.object({ id: screeningId }),
  reply: screeningReply,
  handle: async ({ id }, ctx) => toReply(await ctx.open(screeningService).screenings.find(ctx.caller, id)),
});

/** DELETE /v1/screenings/{id}: ends it. 404 for an unknown or a foreign one, and for one that has ended. */
const cancelRoute = defineRoute({
  method: 'DELETE',
  path: '/v1/screenings/:id',
  module: 'screening',
  operationId: 'cancelScreening',
  summary: 'Cancel a screening; the results so far stay.',
  errors: ['SCREENING_NOT_FOUND'],
  body: z.object({ id: screeningId }),
  reply: screeningReply,
  handle: async ({ id }, ctx) => toReply(await ctx.open(screeningService).screenings.cancel(ctx.caller, id)),
});

/** GET /v1/screenings/{id}/results: a page of results. 404 for an unknown or a foreign screening; 422 for a malformed page. */
const resultsRoute = defineRoute({
  method: 'GET',
  path: '/v1/screenings/:id/results',
  module: 'screening',
  operationId: 'listScreeningResults',
  summary: 'Results of a screening in the order of its portfolio, without the companies that are not checked yet.',
  errors: ['SCREENING_NOT_FOUND'],
  body: z.object({
    id: screeningId,
    limit: pageSize,
    after,
    risk_level: riskLevel.optional().describe('Only results of this level'),
    completeness: completeness.optional().describe('Only results that are so complete'),
  }),
  reply: z.object({
    results: z.array(resultReply),
    has_more: z.boolean(),
    next_after: z.string().nullable().describe('Where to go on; null for an empty page'),
  }),
  async handle({ id: publicId, limit, after, risk_level, completeness = null }, ctx) {
    const { id, keyId } = await ctx.open(screeningService).screenings.find(ctx.caller, publicId);
    const page = { first: Number(limit), after: after === undefined ? null : parseNumberCursor('result', after) };
    const { items, hasMore } = await ctx.read(resultsLoader, { keyId, id, ...page, riskLevel: risk_level ?? null, completeness });
    return { results: items.map(toResultReply), has_more: hasMore, next_after: nextAfter('result', items) };
  },
});

/** GET /v1/screenings/{id}/rejected: a page of the rows that are not checked. 404 and 422 as for the results. */
const rejectedRoute = defineRoute({
  method: 'GET',
  path: '/v1/screenings/:id/rejected',
  module: 'screening',
  operationId: 'listRejectedRows',
  summary: 'Rows of a portfolio that are not checked, each with its reason.',
  errors: ['SCREENING_NOT_FOUND'],
  body: z.object({ id: screeningId, limit: pageSize, after }),
  reply: z.object({ rejected: z.array(rejectedReply), has_more: z.boolean(), next_after: z.string().nullable() }),
  async handle({ id: publicId, limit, after }, ctx) {
    const { id, keyId } = await ctx.open(screeningService).screenings.find(ctx.caller, publicId);
    const page = { first: Number(limit), after: after === undefined ? null : parseNumberCursor('rejected', after) };
    const { items, hasMore } = await ctx.read(rejectedLoader, { keyId, id, ...page });
    return { rejected: [...items], has_more: hasMore, next_after: nextAfter('rejected', items) };
  },
});

function nextAfter(kind: string, items: readonly Pick<RejectedRow, 'row'>[]): string | null {
  const last = items.at(-1);
  return last ? toNumberCursor(kind, last.row) : null;
}

export const screeningRoutes = [startRoute, findRoute, cancelRoute, resultsRoute, rejectedRoute];
