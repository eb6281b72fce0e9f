import { z } from 'zod';
import { parseNumberCursor, toNumberCursor } from '../../../domain/paging.ts';
import { translated } from '../../../messages/message.ts';
import { flag, nextAfter, pageAfter, pageEnd, pageSize } from '../../../rest/fields.ts';
import { defineRoute } from '../../../rest/route.ts';
import { rejectedLoader, resultsLoader } from '../loader.ts';
import { screeningService } from '../service/screening.ts';
import { resultFileRoutes } from './result-files.ts';
import { completeness, resultReply, riskLevel, toResultReply } from './result-reply.ts';
import { screeningId } from './screenings.ts';

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
    answered: flag(z.boolean('Give true or false.'))
      .optional()
      .describe('true: only companies with an answer; false: only those without any'),
  }),
  reply: z.object({ results: z.array(resultReply), ...pageEnd }),
  async handle({ id: publicId, limit, after, risk_level: riskLevel = null, completeness = null, answered = null }, ctx) {
    const { id, keyId } = await ctx.open(screeningService).screenings.find(ctx.caller, publicId);
    const page = { first: Number(limit), after: after === undefined ? null : parseNumberCursor('result', after) };
    const { items, hasMore } = await ctx.read(resultsLoader, { keyId, id, ...page, riskLevel, completeness, answered });
    return {
      results: items.map((result) => toResultReply(result, ctx.language)),
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
    const rejected = items.map(({ row, kind, reason }) => ({ row, kind, reason: translated(reason, ctx.language) }));
    return { rejected, has_more: hasMore, next_after: nextAfter(items, ({ row }) => toNumberCursor('rejected', row)) };
  },
});

export const resultRoutes = [resultsRoute, rejectedRoute, ...resultFileRoutes];
