import { z } from 'zod';
import { parseCompanyKey } from '../../domain/company.ts';
import { isoWithOffset } from '../../domain/time.ts';
import { dateOrNull, datetime, identifier } from '../../rest/fields.ts';
import { defineRoute } from '../../rest/route.ts';
import { debarmentRecordReply, toDebarmentRecordReply } from '../debarment/rest.ts';
import { laborRecordReply, toLaborRecordReply } from '../labor/rest.ts';
import { ownerReply, toOwnerReply } from '../owners/rest.ts';
import { sanctionsMatchReply, toSanctionsMatchReply } from '../sanctions/rest.ts';
import { reasonText } from './domain.ts';
import { type Compliance, complianceBrLoader } from './loader.ts';

const checkName = z.enum(['kyb', 'sanctions', 'debarment', 'labor', 'owners']);

const checks = z.object({
  kyb: z
    .object({
      company_name: z.string(),
      status: z.enum(['active', 'inactive', 'not_found']),
      verified: z.boolean(),
      founded_year: z.int().nullable(),
      data_as_of: dateOrNull,
    })
    .nullable(),
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
 * POST /v1/compliance-br: the consolidated check. A failed source is no error: 200, its check null and named in `sources_failed`;
 * `completeness` says how much was seen. 422 malformed CNPJ.
 */
export const complianceBrRoute = defineRoute({
  method: 'POST',
  path: '/v1/compliance-br',
  module: 'compliance_br',
  summary: 'Five checks of a Brazilian company and a deterministic risk level.',
  body: z.object({ cnpj: identifier }),
  reply: z.object({
    cnpj: z.string(),
    company_name: z.string(),
    risk_level: z.enum(['low', 'medium', 'high']),
    risk_reasons: z.array(z.string()),
    checks,
    sources_failed: z.array(checkName),
    completeness: z.enum(['complete', 'partial', 'insufficient']),
    generated_at: datetime,
  }),
  async handle({ cnpj }, ctx) {
    const { value } = await ctx.ask(complianceBrLoader, parseCompanyKey('BR', cnpj, 'cnpj'));
    return {
      cnpj,
      company_name: value.companyName ?? '',
      risk_level: value.risk.level,
      risk_reasons: value.risk.reasons.map(reasonText),
      checks: toChecks(value.checks),
      sources_failed: [...value.sourcesFailed],
      completeness: value.completeness,
      generated_at: isoWithOffset(value.generatedAt),
    };
  },
});

function toChecks({ kyb, sanctions, debarment, labor, owners }: Compliance['checks']): z.input<typeof checks> {
  return {
    kyb: kyb && {
      company_name: kyb.value.companyName ?? '',
      status: kyb.value.status,
      verified: kyb.value.verified,
      founded_year: kyb.value.foundedYear,
      data_as_of: null, // fetched live
    },
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
