import { z } from 'zod';
import { companyRoute } from '../../rest/company-route.ts';
import { dateOrNull, registrationStatus } from '../../rest/fields.ts';
import { REVENUE_TIERS, RISK_SIGNALS } from './domain.ts';
import { taxHealthLoader } from './loader.ts';

/**
 * POST /v1/tax-health: tax status of a Chilean company. The reply for an unknown company is 200 with status `not_found`. `tax_debtor` is
 * null if no list of debtors could be read. 422 for a malformed identifier or another country; 503 while the registry fails.
 */
export const taxHealthRoute = companyRoute({
  path: '/v1/tax-health',
  operationId: 'getTaxHealth',
  summary: 'Tax standing of a Chilean company: status, tax debts, age, revenue tier, risk signals.',
  loader: taxHealthLoader,
  reply: z.object({
    identifier: z.string(),
    company_name: z.string(),
    country: z.string(),
    status: registrationStatus,
    tax_debtor: z.boolean().nullable(),
    tax_debt_amount: z.number().nullable(),
    company_age_years: z.int().nullable(),
    deregistered_at: dateOrNull,
    revenue_tier: z.enum(REVENUE_TIERS).nullable(),
    risk_signals: z.array(z.enum(RISK_SIGNALS)),
    source: z.enum(['sii']),
    data_as_of: dateOrNull,
  }),
  toReply: ({ value, freshness }, { identifier, country }) => ({
    identifier,
    company_name: value.companyName ?? '',
    country,
    status: value.status,
    tax_debtor: value.taxDebtor,
    tax_debt_amount: value.taxDebtAmount,
    company_age_years: value.companyAgeYears,
    deregistered_at: value.deregisteredAt,
    revenue_tier: value.revenueTier,
    risk_signals: [...value.riskSignals],
    source: value.source,
    data_as_of: freshness.dataAsOf,
  }),
});
