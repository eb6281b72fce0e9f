import { z } from 'zod';
import { dateOrNull } from '../../../rest/fields.ts';
import { defineRoute } from '../../../rest/route.ts';
import type { AwardedContract } from '../domain.ts';
import { awardedContractsLoader } from '../loaders/awards.ts';
import { MAX_RECORDS, supplierFields, supplierOf } from './supplier.ts';

const contractReply = z.object({
  code: z.string(),
  name: z.string(),
  status: z.string(),
  amount: z.number().describe('Sum of the lines that the company won'),
  currency: z.string().describe('ISO 4217; CLF is the UF. UTM, which has no code, stands as UTM'),
  awarded_at: z.string().describe('Chilean local time without offset'),
  buyer: z.string(),
  buyer_rut: z.string(),
});

const toContractReply = ({ code, name, status, total, awardedAt, buyer, buyerTaxId }: AwardedContract): z.input<typeof contractReply> => ({
  code,
  name,
  status,
  amount: total.amount,
  currency: total.currency,
  awarded_at: awardedAt,
  buyer,
  buyer_rut: buyerTaxId,
});

/**
 * POST /v1/tenders/awarded: tenders that a Chilean company won, newest first. A company without any is 200 with an empty list.
 * 404 domain not resolved; 422 malformed RUT, a domain that is not .cl; 503 index down.
 */
export const awardedRoute = defineRoute({
  method: 'POST',
  path: '/v1/tenders/awarded',
  module: 'tenders',
  summary: 'Tenders that a company won (CL).',
  body: z.object(supplierFields),
  reply: z.object({
    rut: z.string(),
    total: z.int().describe(`All that there are; the newest ${MAX_RECORDS} are listed`),
    contracts: z.array(contractReply),
    source: z.literal('mercadopublico'),
    coverage: z.string().describe('What was looked through and what was not'),
    data_as_of: dateOrNull,
  }),
  async handle(body, ctx) {
    const { key, written } = await supplierOf(body, 'CL', ctx);
    const { value, freshness } = await ctx.ask(awardedContractsLoader, { key, first: MAX_RECORDS, after: null });
    return {
      rut: written,
      total: value.page.total,
      contracts: value.page.items.map(toContractReply),
      source: 'mercadopublico' as const,
      coverage: value.coverage,
      data_as_of: freshness.dataAsOf,
    };
  },
});
