import { z } from 'zod';
import { COUNTRIES, parseCompanyKey, requireCountry } from '../../domain/company.ts';
import { ALL_CHECKS, CHECKS, CHECKS_OF, type CheckName, type Completeness } from '../../domain/compliance.ts';
import { isoWithOffset } from '../../domain/time.ts';
import type { Language } from '../../messages/message.ts';
import { country as countryField, dateOrNull, datetime, flag, identifier, registrationStatus } from '../../rest/fields.ts';
import { defineRoute } from '../../rest/route.ts';
import { contractFinesReply, toContractFinesReply } from '../debarment/rest/contract-fines.ts';
import { debarmentRecordReply, toDebarmentRecordReply } from '../debarment/rest.ts';
import { kybReply } from '../kyb/rest.ts';
import { laborRecordReply, toLaborRecordReply } from '../labor/rest.ts';
import { anyOwnersReply, toAnyOwnersReply } from '../owners/rest/declared.ts';
import { ownerReply, toOwnerReply } from '../owners/rest/owner.ts';
import { sanctionsMatchReply, toSanctionsMatchReply } from '../sanctions/rest.ts';
import { RISK_SIGNALS } from '../tax-health/domain.ts';
import { reasonTextIn } from './domain.ts';
import { type Compliance, complianceLoaderFor, requireAnswered } from './loader.ts';
import { sealedReceipt, toReceiptReply } from './rest/evidence.ts';
import { issueReceipt } from './service/receipts.ts';

const checks = z.object({
  kyb: kybReply.pick({ company_name: true, status: true, verified: true, founded_year: true, data_as_of: true }).nullable(),
  sanctions: z
    .object({ is_sanctioned: z.boolean(), matches: z.array(sanctionsMatchReply), sources_checked: z.array(z.string()) })
    .nullable(),
  debarment: z
    .object({ is_debarred: z.boolean(), records: z.array(debarmentRecordReply), sources_checked: z.array(z.string()) })
    .nullable(),
  labor: z.object({ has_violations: z.boolean(), records: z.array(laborRecordReply), sources_checked: z.array(z.string()) }).nullable(),
  owners: z.object({ count: z.int(), owners: z.array(ownerReply) }).nullable(),
});

const receipt = flag(z.boolean('Give true or false.').default(false)).describe('true: a receipt of the verdict is written and returned');
const riskLevel = z.enum(['low', 'medium', 'high']);
const completeness = z.enum(['complete', 'partial', 'insufficient']);
const evidence = sealedReceipt.optional().describe('The receipt; absent unless requested with `receipt`');
const headersOf = ({ completeness }: { readonly completeness: Completeness }) => ({ 'quipu-completeness': completeness });

/**
 * POST /v1/compliance-br: the consolidated check. A failed source is not an error: the reply is 200, with its check null and named in
 * `sources_failed`; `completeness` states how much was checked. 422 for a malformed CNPJ.
 */
export const complianceBrRoute = defineRoute({
  method: 'POST',
  path: '/v1/compliance-br',
  module: 'compliance_br',
  operationId: 'checkCompliance',
  summary: 'Five checks of a Brazilian company and a deterministic risk level. A `low` is clean only with `completeness` `complete`.',
  errors: ['SOURCE_UNAVAILABLE'],
  headersOf,
  body: z.object({
    cnpj: identifier,
    receipt,
  }),
  reply: z.object({
    cnpj: z.string(),
    company_name: z.string(),
    risk_level: riskLevel,
    risk_reasons: z.array(z.string()),
    checks,
    sources_failed: z.array(z.enum(CHECKS)),
    completeness,
    generated_at: datetime,
    evidence,
  }),
  async handle({ cnpj, receipt }, ctx) {
    const company = parseCompanyKey('BR', cnpj, 'cnpj');
    const { value } = await ctx.ask(complianceLoaderFor('BR', ctx.caller), company);
    requireAnswered(value, ctx.caller);
    const sealed = receipt ? await issueReceipt(ctx, company, value) : null;
    return {
      cnpj,
      company_name: value.companyName ?? '',
      risk_level: value.risk.level,
      risk_reasons: value.risk.reasons.map(reasonTextIn(ctx.language)),
      checks: toChecks(value.checks),
      sources_failed: CHECKS.filter((check) => value.sourcesFailed.includes(check)),
      completeness: value.completeness,
      generated_at: isoWithOffset(value.generatedAt),
      ...(sealed && { evidence: toReceiptReply(sealed) }),
    };
  },
});

/** The tax standing of a Chilean company, which leaves out its size. */
const taxHealth = z.object({
  status: registrationStatus,
  tax_debtor: z.boolean().nullable().describe('Null where no list of tax debtors was checked, which is not "no debts"'),
  tax_debt_amount: z.number().nullable().describe('In CLP; null where the list states none'),
  debtors_checked: z.boolean(),
  debtors_as_of: dateOrNull,
  risk_signals: z.array(z.enum(RISK_SIGNALS)),
  data_as_of: dateOrNull,
});

/**
 * POST /v1/compliance: the consolidated check by country. It is counted for module compliance_br for a Brazilian company, and for module
 * compliance otherwise. As in `/v1/compliance-br`, a failed source is no error. 422 for a malformed identifier or another country.
 */
export const complianceRoute = defineRoute({
  method: 'POST',
  path: '/v1/compliance',
  module: 'compliance',
  operationId: 'checkCompanyCompliance',
  summary:
    'The checks of a company and a risk level by the rules of its country: Brazil (module compliance_br), Chile and Colombia (module compliance). A `low` is clean only with `completeness` `complete`.',
  errors: ['UNSUPPORTED_COUNTRY', 'SOURCE_UNAVAILABLE'],
  headersOf,
  body: z.object({ identifier, country: countryField, receipt }),
  reply: z.object({
    identifier: z.string(),
    country: z.string(),
    company_name: z.string(),
    risk_level: riskLevel,
    risk_reasons: z.array(z.string()),
    checks: checks
      .partial()
      .extend({
        owners: anyOwnersReply.nullable().optional(),
        tax_health: taxHealth.nullable().optional(),
        contract_fines: contractFinesReply.nullable().optional(),
      })
      .describe('The checks of the country: null where one failed, and absent where the country does not have it'),
    sources_failed: z.array(z.enum(ALL_CHECKS)),
    completeness,
    rules_version: z.iso.date().describe('Date of the last change of the rules of the country'),
    generated_at: datetime,
    evidence,
  }),
  async handle({ identifier, country, receipt }, ctx) {
    const company = parseCompanyKey(requireCountry(country, COUNTRIES, 'The consolidated check'), identifier);
    const { value } = await ctx.ask(complianceLoaderFor(company.country, ctx.caller), company);
    requireAnswered(value, ctx.caller);
    const sealed = receipt ? await issueReceipt(ctx, company, value) : null;
    return {
      identifier,
      country,
      company_name: value.companyName ?? '',
      risk_level: value.risk.level,
      risk_reasons: value.risk.reasons.map(reasonTextIn(ctx.language)),
      checks: checksOf(value, ctx.language),
      sources_failed: [...value.sourcesFailed],
      completeness: value.completeness,
      rules_version: value.rulesVersion,
      generated_at: isoWithOffset(value.generatedAt),
      ...(sealed && { evidence: toReceiptReply(sealed) }),
    };
  },
});

/** Returns the checks of the country of a company. */
function checksOf({ country, checks }: Compliance, language: Language) {
  const all = {
    ...toCommonChecks(checks),
    owners: checks.owners && toAnyOwnersReply(checks.owners, language),
    tax_health: checks.tax_health && toTaxHealthPart(checks.tax_health),
    contract_fines: checks.contract_fines && toContractFinesReply(checks.contract_fines.value, language),
  };
  return Object.fromEntries(CHECKS_OF[country].map((check: CheckName) => [check, all[check]]));
}

const toTaxHealthPart = ({ value, freshness }: NonNullable<Compliance['checks']['tax_health']>): z.input<typeof taxHealth> => ({
  status: value.status,
  tax_debtor: value.taxDebtor,
  tax_debt_amount: value.taxDebtAmount,
  debtors_checked: value.debtorsChecked,
  debtors_as_of: value.debtorsAsOf,
  risk_signals: [...value.riskSignals],
  data_as_of: freshness.dataAsOf,
});

/** Converts the checks of a Brazilian company. */
function toChecks({ owners, ...all }: Compliance['checks']): z.input<typeof checks> {
  const value = owners?.value.source === 'receita_federal' ? owners.value : null;
  return { ...toCommonChecks(all), owners: value && { count: value.owners.length, owners: value.owners.map(toOwnerReply) } };
}

/** Converts the checks that have one form for all countries. */
function toCommonChecks({
  kyb,
  sanctions,
  debarment,
  labor,
}: Omit<Compliance['checks'], 'owners'>): Omit<z.input<typeof checks>, 'owners'> {
  return {
    kyb: kyb && toKybPart(kyb),
    sanctions: sanctions && {
      is_sanctioned: sanctions.value.isSanctioned,
      matches: sanctions.value.matches.map(toSanctionsMatchReply),
      sources_checked: [...sanctions.value.sourcesChecked],
    },
    debarment: debarment && {
      is_debarred: debarment.value.isDebarred,
      records: debarment.value.records.map(toDebarmentRecordReply),
      sources_checked: [...debarment.value.sourcesChecked],
    },
    labor: labor && {
      has_violations: labor.value.hasViolations,
      records: labor.value.records.map(toLaborRecordReply),
      sources_checked: [...labor.value.sourcesChecked],
    },
  };
}

/** `data_as_of` is the date of the copy at the mirror that answered, which `POST /v1/kyb` does not return for Brazil. */
const toKybPart = ({ value, freshness }: NonNullable<Compliance['checks']['kyb']>): z.input<typeof checks>['kyb'] => ({
  company_name: value.companyName ?? '',
  status: value.status,
  verified: value.verified,
  founded_year: value.foundedYear,
  data_as_of: freshness.dataAsOf,
});
