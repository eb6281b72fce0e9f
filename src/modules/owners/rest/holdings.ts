import { z } from 'zod';
import { completenessOf } from '../../../domain/answer.ts';
import { parseCompanyKey, requireCountry } from '../../../domain/company.ts';
import { country, dateOrNull, givenTaxId, identifier, nextAfter, pageAfter, pageEnd, pageSize } from '../../../rest/fields.ts';
import { defineRoute } from '../../../rest/route.ts';
import { parseHoldingCursor, toHoldingCursor } from '../domain/holding-cursors.ts';
import type { Holding } from '../domain/holdings.ts';
import { HOLDING_COUNTRIES, holdingsLoader } from '../loaders/holdings.ts';
import { shareReply, toShareReply } from './share.ts';

export const holdingReply = z
  .object({
    identifier: z.string().describe('Bare CNPJ of the head office, or bare RUT'),
    company_name: z.string().nullable(),
    status: z.enum(['active', 'inactive']).nullable().describe('Null if the files of the registry have no head office'),
    role: z.string().describe("The registry's word for the role of the owner; empty if it states none"),
    since: dateOrNull,
    share: shareReply.optional().describe('CL only'),
  })
  .meta({ id: 'Holding' });

export const toHoldingReply = ({ taxId, name, status, role, since, share }: Holding): z.input<typeof holdingReply> => ({
  identifier: taxId,
  company_name: name,
  status,
  role,
  since,
  ...(share && { share: toShareReply(share) }),
});

/**
 * GET /v1/companies/{country}/{id}/holdings: a page of the companies of which a company is an owner or officer. A company that the registry
 * does not have is 200 with `company_known` false. 422 for a malformed tax id, page or cursor, or another country; 503 while the own copy of
 * the registry fails, and on a service without one.
 */
export const holdingsRoute = defineRoute({
  method: 'GET',
  path: '/v1/companies/:country/:id/holdings',
  module: holdingsLoader.module,
  operationId: 'listHoldings',
  summary:
    'Companies of which a company of Brazil or Chile is an owner or officer, from the own copy of the registry or the file of owners.',
  errors: ['UNSUPPORTED_COUNTRY', 'SOURCE_UNAVAILABLE', 'SOURCE_NOT_CONFIGURED'],
  body: z.object({ country, id: identifier, limit: pageSize, after: pageAfter }),
  reply: z.object({
    identifier: givenTaxId,
    country: z.enum(HOLDING_COUNTRIES),
    company_known: z.boolean().describe('False if the registry has no such company'),
    holdings: z.array(holdingReply).describe('By CNPJ: an item for each role and date of entry'),
    completeness: z.enum(['complete', 'partial']),
    reason: z.string().nullable().describe('Reason for which companies may be missing; null for a complete list'),
    data_as_of: dateOrNull.describe('Date of the extract of the registry'),
    ...pageEnd,
  }),
  async handle({ country, id, limit, after }, ctx) {
    const company = parseCompanyKey(requireCountry(country, HOLDING_COUNTRIES, 'The companies of an owner'), id);
    const position = after === undefined ? null : parseHoldingCursor(company, after);
    const { value, freshness } = await ctx.ask(holdingsLoader, { company, first: Number(limit), after: position });
    const { items, hasMore, companyKnown, reason } = value;
    return {
      identifier: id,
      country: company.country,
      company_known: companyKnown,
      holdings: items.map(toHoldingReply),
      completeness: completenessOf(reason),
      reason: reason?.in(ctx.language) ?? null,
      data_as_of: freshness.dataAsOf,
      has_more: hasMore,
      next_after: nextAfter(items, ({ position }) => toHoldingCursor(company, position)),
    };
  },
});
