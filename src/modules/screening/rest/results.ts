import { z } from 'zod';
import { COUNTRIES } from '../../../domain/company.ts';
import { isoWithOffset } from '../../../domain/time.ts';
import { parseNumberCursor, toNumberCursor } from '../../../graphql/connection.ts';
import { translated } from '../../../messages/message.ts';
import { datetime, nextAfter, pageAfter, pageEnd, pageSize, registrationStatus } from '../../../rest/fields.ts';
import { defineRoute, FileReply } from '../../../rest/route.ts';
import type { ScreeningResult } from '../domain/screening.ts';
import { rejectedLoader, resultsLoader } from '../loader.ts';
import { csv, jsonLines, type ResultFormat } from '../service/result-file.ts';
import { screeningService } from '../service/screening.ts';
import { READ_FILE } from '../service/screenings.ts';
import { moduleName, screeningId } from './screenings.ts';

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

/** GET /v1/screenings/{id}/results: a page of results. 404 for a screening that is unknown or of another key; 422 for a malformed page. */
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
    after: pageAfter,
    risk_level: riskLevel.optional().describe('Only results with this risk level'),
    completeness: completeness.optional().describe('Only results with this completeness'),
  }),
  reply: z.object({ results: z.array(resultReply), ...pageEnd }),
  async handle({ id: publicId, limit, after, risk_level, completeness = null }, ctx) {
    const { id, keyId } = await ctx.open(screeningService).screenings.find(ctx.caller, publicId);
    const page = { first: Number(limit), after: after === undefined ? null : parseNumberCursor('result', after) };
    const { items, hasMore } = await ctx.read(resultsLoader, { keyId, id, ...page, riskLevel: risk_level ?? null, completeness });
    return {
      results: items.map(toResultReply),
      has_more: hasMore,
      next_after: nextAfter(items, ({ row }) => toNumberCursor('result', row)),
    };
  },
});

/** GET /v1/screenings/{id}/rejected: a page of rejected rows. 404 and 422 as for the results. */
const rejectedRoute = defineRoute({
  method: 'GET',
  path: '/v1/screenings/:id/rejected',
  module: 'screening',
  operationId: 'listRejectedRows',
  summary: 'Rows of a portfolio that are not checked, each with its reason.',
  errors: ['SCREENING_NOT_FOUND'],
  body: z.object({ id: screeningId, limit: pageSize, after: pageAfter }),
  reply: z.object({ rejected: z.array(rejectedReply), ...pageEnd }),
  async handle({ id: publicId, limit, after }, ctx) {
    const { id, keyId } = await ctx.open(screeningService).screenings.find(ctx.caller, publicId);
    const page = { first: Number(limit), after: after === undefined ? null : parseNumberCursor('rejected', after) };
    const { items, hasMore } = await ctx.read(rejectedLoader, { keyId, id, ...page });
    const rejected = items.map((row) => ({ ...row, reason: translated(row.reason, ctx.language) }));
    return { rejected, has_more: hasMore, next_after: nextAfter(items, ({ row }) => toNumberCursor('rejected', row)) };
  },
});

/** Creates the endpoint of a result file. 404 for a screening that is unknown or of another key. */
const fileRoute = (extension: 'csv' | 'jsonl', type: 'text/csv' | 'application/jsonl', format: ResultFormat) =>
  defineRoute({
    method: 'GET',
    path: `/v1/screenings/:id/results.${extension}`,
    module: 'screening',
    operationId: extension === 'csv' ? 'downloadResultsAsCsv' : 'downloadResultsAsJsonLines',
    summary: `All results of a screening so far, as a ${extension} file.`,
    errors: ['SCREENING_NOT_FOUND'],
    file: type,
    rate: READ_FILE,
    body: z.object({ id: screeningId }),
    reply: z.never(),
    async handle({ id }, ctx) {
      const content = await ctx.open(screeningService).screenings.file(ctx.caller, id, format);
      return new FileReply({ type: `${type}; charset=utf-8`, name: `${id}.${extension}`, content });
    },
  });

export const resultRoutes = [
  resultsRoute,
  rejectedRoute,
  fileRoute('csv', 'text/csv', csv(Object.keys(resultReply.shape), toResultReply)),
  fileRoute('jsonl', 'application/jsonl', jsonLines(toResultReply)),
];
