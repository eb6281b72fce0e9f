import { z } from 'zod';
import { parseCompanyKey } from '../../domain/company.ts';
import { isoWithOffset } from '../../domain/time.ts';
import { datetime, identifier } from '../../rest/fields.ts';
import { defineRoute } from '../../rest/route.ts';
import { debarmentRecordReply, toDebarmentRecordReply } from '../debarment/rest.ts';
import { kybReply, toKybReply } from '../kyb/rest.ts';
import { laborRecordReply, toLaborRecordReply } from '../labor/rest.ts';
import { ownerReply, toOwnerReply } from '../owners/rest.ts';
import { sanctionsMatchReply, toSanctionsMatchReply } from '../sanctions/rest.ts';
import { CHECKS, reasonText } from './domain.ts';
import { type Compliance, complianceBrLoader } from './loader.ts';
import { sealedReceipt, toReceiptReply } from './rest/evidence.ts';
import { evidenceService } from './service/evidence.ts';

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

/**
 * POST /v1/compliance-br: the consolidated check. A failed source is not an error: the reply is 200, with its check null and named in
 * `sources_failed`; `completeness` states how much was checked. 422 for a malformed CNPJ.
 */
export const complianceBrRoute = defineRoute({
  method: 'POST',
  path: '/v1/compliance-br',
  module: 'compliance_br',
  operationId: 'checkCompliance',
  summary: 'Five checks of a Brazilian company and a deterministic risk level.',
  errors: [],
  body: z.object({
    cnpj: identifier,
    receipt: z.boolean('Give true or false.').default(false).describe('true: a receipt of the verdict is written and returned'),
  }),
  reply: z.object({
    cnpj: z.string(),
    company_name: z.string(),
    risk_level: z.enum(['low', 'medium', 'high']),
    risk_reasons: z.array(z.string()),
    checks,
    sources_failed: z.array(z.enum(CHECKS)),
    completeness: z.enum(['complete', 'partial', 'insufficient']),
    generated_at: datetime,
    evidence: sealedReceipt.optional().describe('The receipt; absent unless requested with `receipt`'),
  }),
  async handle({ cnpj, receipt }, ctx) {
    const company = parseCompanyKey('BR', cnpj, 'cnpj');
    const { value } = await ctx.ask(complianceBrLoader, company);
    const sealed = receipt ? await ctx.open(evidenceService).issue(ctx, company, value) : null;
    return {
      cnpj,
      company_name: value.companyName ?? '',
      risk_level: value.risk.level,
      risk_reasons: value.risk.reasons.map(reasonText),
      checks: toChecks(value.checks),
      sources_failed: [...value.sourcesFailed],
      completeness: value.completeness,
      generated_at: isoWithOffset(value.generatedAt),
      ...(sealed && { evidence: toReceiptReply(sealed) }),
    };
  },
});

function toChecks({ kyb, sanctions, debarment, labor, owners }: Compliance['checks']): z.input<typeof checks> {
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
    owners: owners && { count: owners.value.owners.length, owners: owners.value.owners.map(toOwnerReply) },
  };
}

function toKybPart(kyb: NonNullable<Compliance['checks']['kyb']>): z.input<typeof checks>['kyb'] {
  const { company_name, status, verified, founded_year, data_as_of } = toKybReply(kyb);
  return { company_name, status, verified, founded_year, data_as_of };
}
