import { z } from 'zod';
import { parseCompanyKey, requireCountry } from '../../domain/company.ts';
import { country, dateOrNull, identifier } from '../../rest/fields.ts';
import { defineRoute } from '../../rest/route.ts';
import { taxHealthLoader } from './loader.ts';

/**
 * POST /v1/tax-health: tax standing of a Chilean company. An unknown one is 200 `not_found`. `tax_debtor` is null where no list of
 * debtors could be seen. 422 malformed identifier or other country; 503 registry not seen.
 */
export const taxHealthRoute = defineRoute({
  method: 'POST',
  path: '/v1/tax-health',
  module: 'tax_health',
  summary: 'Tax standing of a Chilean company: status, tax debts, age, revenue tier, risk signals.',
  body: z.object({ identifier, country }),
  reply: z.object({
    identifier: z.string(),
    company_name: z.string(),
    country: z.string(),
    status: z.enum(['active', 'inactive', 'not_found']),
    tax_debtor: z.boolean().nullable(),
    tax_debt_amount: z.number().nullable(),
    company_age_years: z.int().nullable(),
    deregistered_at: dateOrNull,
    revenue_tier: z.enum(['micro', 'small', 'medium', 'large']).nullable(),
    risk_signals: z.array(z.enum(['tax_debtor', 'inactive_company', 'recently_deregistered', 'new_company', 'micro_revenue_tier'])),
    source: z.enum(['sii']),
    data_as_of: dateOrNull,
  }),
  async handle(body, ctx) {
    const key = parseCompanyKey(requireCountry(body.country, ['CL'], 'Tax health'), body.identifier);
    const { value, freshness } = await ctx.ask(taxHealthLoader, key);
    return {
      identifier: body.identifier,
      company_name: value.companyName ?? '',
      country: body.country,
      status: value.status,
      tax_debtor: value.taxDebtor,
      tax_debt_amount: value.taxDebtAmount,
      company_age_years: value.companyAgeYears,
      deregistered_at: value.deregisteredAt,
      revenue_tier: value.revenueTier,
      risk_signals: [...value.riskSignals],
      source: value.source,
      data_as_of: freshness.dataAsOf,
    };
  },
});
