import { z } from 'zod';
import { parseCompanyKey, requireCountry } from '../../domain/company.ts';
import { country, dateOrNull, identifier } from '../../rest/fields.ts';
import { defineRoute } from '../../rest/route.ts';
import { kybLoader } from './loader.ts';

/**
 * POST /v1/kyb: registration status. An unknown company is 200 `not_found`.
 * 422 malformed identifier or other country; 503 registry down. `data_as_of` is the date of the registry's copy for Chile, and null
 * for Brazil, which is asked live.
 */
export const kybRoute = defineRoute({
  method: 'POST',
  path: '/v1/kyb',
  module: 'kyb',
  summary: 'Legal registration status of a company (BR, CL).',
  body: z.object({ identifier, country }),
  reply: z.object({
    identifier: z.string(),
    country: z.string(),
    company_name: z.string(),
    status: z.enum(['active', 'inactive', 'not_found']),
    verified: z.boolean(),
    founded_year: z.int().nullable(),
    end_date: dateOrNull,
    source: z.enum(['sii', 'receita_federal']),
    data_as_of: dateOrNull,
  }),
  async handle(body, ctx) {
    const key = parseCompanyKey(requireCountry(body.country, ['BR', 'CL'], 'KYB'), body.identifier);
    const { value, freshness } = await ctx.ask(kybLoader, key);
    return {
      identifier: body.identifier,
      country: body.country,
      company_name: value.companyName ?? '',
      status: value.status,
      verified: value.verified,
      founded_year: value.foundedYear,
      end_date: value.endDate,
      source: value.source,
      data_as_of: value.source === 'sii' ? freshness.dataAsOf : null,
    };
  },
});
