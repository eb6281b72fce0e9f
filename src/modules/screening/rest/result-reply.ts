import { z } from 'zod';
import { COUNTRIES } from '../../../domain/company.ts';
import { isoWithOffset } from '../../../domain/time.ts';
import type { Language } from '../../../messages/message.ts';
import { storedReasonIn } from '../../../messages/stored-reasons.ts';
import { datetime, registrationStatus } from '../../../rest/fields.ts';
import type { ScreeningResult } from '../domain/screening.ts';
import { moduleName } from './screenings.ts';

export const riskLevel = z.enum(['low', 'medium', 'high']);
export const completeness = z.enum(['complete', 'partial', 'insufficient']);

export const resultReply = z
  .object({
    row: z.int().describe('Row of the portfolio, counted from 1'),
    identifier: z.string().describe('Bare tax id'),
    country: z.enum(COUNTRIES),
    company_name: z.string().nullable(),
    registration_status: registrationStatus.nullable(),
    risk_level: riskLevel.nullable(),
    completeness: completeness.nullable(),
    risk_reasons: z.array(z.string()).nullable(),
    is_sanctioned: z.boolean().nullable(),
    is_debarred: z.boolean().nullable(),
    has_violations: z.boolean().nullable(),
    tax_debtor: z.boolean().nullable(),
    owner_count: z.int().nullable(),
    failed_modules: z.array(moduleName),
    checked_at: datetime,
  })
  .meta({ id: 'ScreeningResult' });

/** Converts a result to its form in `/v1`, with the sentences of its reasons in a language. */
export const toResultReply = (
  { row, company, findings, failedModules, checkedAt }: ScreeningResult,
  language: Language,
): z.input<typeof resultReply> => ({
  row,
  identifier: company.taxId,
  country: company.country,
  company_name: findings.name,
  registration_status: findings.registrationStatus,
  risk_level: findings.riskLevel,
  completeness: findings.completeness,
  risk_reasons: findings.riskReasons?.map((reason) => storedReasonIn(reason, language)) ?? null,
  is_sanctioned: findings.isSanctioned,
  is_debarred: findings.isDebarred,
  has_violations: findings.hasLaborViolations,
  tax_debtor: findings.isTaxDebtor,
  owner_count: findings.ownerCount,
  failed_modules: [...failedModules],
  checked_at: isoWithOffset(checkedAt),
});
