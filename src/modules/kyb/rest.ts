import { z } from 'zod';
import type { Answer } from '../../domain/answer.ts';
import { companyRoute } from '../../rest/company-route.ts';
import { dateOrNull, registrationStatus } from '../../rest/fields.ts';
import type { TaxKyb } from './domain.ts';
import { taxKybLoader } from './loader.ts';

export const kybReply = z.object({
  identifier: z.string(),
  country: z.string(),
  company_name: z.string(),
  status: registrationStatus,
  verified: z.boolean(),
  founded_year: z.int().nullable(),
  end_date: dateOrNull,
  source: z.enum(['sii', 'receita_federal']),
  data_as_of: dateOrNull,
});

/**
 * Returns the fields of the `/v1` reply that describe the company. The consolidated check uses some of them. `data_as_of` is the date of
 * the registry's copy for Chile and null for Brazil, whose registry is called for each answer.
 */
const toKybReply = ({ value, freshness }: Answer<TaxKyb>): Omit<z.input<typeof kybReply>, 'identifier' | 'country'> => ({
  company_name: value.companyName ?? '',
  status: value.status,
  verified: value.verified,
  founded_year: value.foundedYear,
  end_date: value.endDate,
  source: value.source,
  data_as_of: value.source === 'sii' ? freshness.dataAsOf : null,
});

/**
 * POST /v1/kyb: registration status. The reply for an unknown company is 200 with status `not_found`. 422 for a malformed identifier or
 * another country; 503 while the registry fails.
 */
export const kybRoute = companyRoute({
  path: '/v1/kyb',
  operationId: 'verifyCompany',
  summary: 'Legal registration status of a company (BR, CL).',
  loader: taxKybLoader,
  reply: kybReply,
  toReply: (answer, { identifier, country }) => ({ identifier, country, ...toKybReply(answer) }),
});
