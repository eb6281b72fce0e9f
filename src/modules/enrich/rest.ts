import { z } from 'zod';
import type { RequestContext } from '../../context.ts';
import { companyNotFound, formatTaxId } from '../../domain/company.ts';
import { dateOrNull, identifier } from '../../rest/fields.ts';
import { defineRoute } from '../../rest/route.ts';
import { parseDomain, parseOwnerId } from '../../sources/domains/domain.ts';
import { profileOfDomainLoader, taxProfileLoader } from './loader.ts';

const NEITHER = 'Give a domain or an identifier.';

/**
 * POST /v1/enrich: the profile of a company by tax id or by domain; with both, the tax id is used and the domain is ignored. 404
 * domain_not_resolved or company_not_found; 422 for malformed input or an unsupported top-level domain; 503 when registry or site cannot
 * be read. `activity` and `activity_code` are empty if the registry states none.
 */
export const enrichRoute = defineRoute({
  method: 'POST',
  path: '/v1/enrich',
  module: 'enrich',
  operationId: 'enrichCompany',
  summary: 'Profile of a company (BR, CL) by tax id or by domain.',
  errors: ['COMPANY_NOT_FOUND', 'DOMAIN_NOT_RESOLVED', 'SOURCE_UNAVAILABLE'],
  body: z
    .object({
      domain: z
        .string('Give the domain as text.')
        .trim()
        .describe('Domain under .cl or .br; a URL or an e-mail address of the domain is accepted, too. Required without identifier')
        .nullish(),
      identifier: identifier
        .describe('RUT or CNPJ, which may lack its left zeros; distinguished by its length; required without domain')
        .nullish(),
    })
    .refine(({ domain, identifier }) => domain != null || identifier != null, { error: NEITHER, path: ['domain'] }),
  reply: z.object({
    domain: z.string().nullable().describe('The requested domain, registrable part; null if the company was requested by tax id'),
    company_name: z.string(),
    identifier: z.string().describe('The given tax id, or that of the company behind the domain'),
    activity: z.string(),
    activity_code: z.string().describe('CL: CIIU4.CL, six digits. BR: CNAE, seven digits'),
    size: z.enum(['small', 'large', 'unknown']),
    employees_range: z.string().nullable().describe('0, 1-9, 10-49, 50-199, 200-999 or 1000+ (CL); null for BR'),
    region: z.string().nullable().describe('CL: name of the region. BR: the two letters of the state'),
    founded_year: z.int().nullable(),
    status: z.enum(['active', 'inactive']),
    tech_stack: z.null(),
    emails: z.null(),
    country: z.enum(['BR', 'CL']),
    source: z.enum(['receita_federal', 'sii']),
    data_as_of: dateOrNull.describe('Null for BR, whose registry is called live'),
  }),
  async handle(body, ctx) {
    const { domain, identifier, country, value: profile, freshness } = await profileOf(body, ctx);
    if (!profile) throw companyNotFound(country, freshness.dataAsOf);
    return {
      domain,
      company_name: profile.companyName,
      identifier,
      activity: profile.activity ?? '',
      activity_code: profile.activityCode ?? '',
      size: profile.size,
      employees_range: profile.employeesRange,
      region: profile.region,
      founded_year: profile.foundedYear,
      status: profile.status,
      tech_stack: null,
      emails: null,
      country: profile.country,
      source: profile.source,
      data_as_of: profile.source === 'sii' ? freshness.dataAsOf : null,
    };
  },
});

async function profileOf({ domain, identifier }: { domain?: string | null; identifier?: string | null }, ctx: RequestContext) {
  if (identifier != null) {
    const key = parseOwnerId(identifier);
    return { domain: null, identifier, country: key.country, ...(await ctx.ask(taxProfileLoader, key)) };
  }
  const { written, ...key } = parseDomain(domain ?? '');
  const { value, freshness } = await ctx.ask(profileOfDomainLoader, key);
  return { domain: written, identifier: formatTaxId(value.company), country: value.company.country, value: value.profile, freshness };
}
