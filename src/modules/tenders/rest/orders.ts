import { z } from 'zod';
import { country, dateOrNull } from '../../../rest/fields.ts';
import { defineRoute } from '../../../rest/route.ts';
import { tenderOrdersLoader } from '../loaders/orders.ts';
import { MAX_RECORDS, supplierFields, supplierOf } from './supplier.ts';

/**
 * POST /v1/tenders: orders and contracts of a supplier, newest first. A supplier without any is 200 with an empty list.
 * 404 domain not resolved; 422 malformed identifier, other country, a domain for CO; 503 marketplace or index down.
 */
export const ordersRoute = defineRoute({
  method: 'POST',
  path: '/v1/tenders',
  module: 'tenders',
  summary: 'Public purchase orders and contracts of a supplier (CL, BR, CO).',
  body: z.object({ ...supplierFields, country: country.nullish().describe("ISO 3166-1 alpha-2; CL, or the domain's, when left out") }),
  reply: z.object({
    rut: z.string(),
    identifier: z.string(),
    country: z.string(),
    total_orders: z.int().describe(`All that there are; the newest ${MAX_RECORDS} are listed`),
    orders: z.array(z.object({ code: z.string(), name: z.string(), status: z.string() })),
    source: z.enum(['mercadopublico', 'pncp', 'secopii']),
    coverage: z.string().describe('What was looked through and what was not'),
    data_as_of: dateOrNull,
  }),
  async handle(body, ctx) {
    const { key, written } = await supplierOf(body, body.country ?? null, ctx);
    const { value, freshness } = await ctx.ask(tenderOrdersLoader, { key, first: MAX_RECORDS, after: null });
    return {
      rut: written,
      identifier: written,
      country: key.country,
      total_orders: value.page.total,
      orders: value.page.items.map(({ code, name, status }) => ({ code, name, status })),
      source: value.source,
      coverage: value.coverage,
      data_as_of: freshness.dataAsOf,
    };
  },
});
